//! An archive in the test's own process: answers each request with the next of its answers and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// What one request is answered with.
#[derive(Clone)]
pub enum Answer {
    /// Status, headers (each with its line end) and body.
    Say(u16, &'static str, String),
    /// The connection stays open and nothing comes.
    Hang,
    /// The connection closes without a word.
    Close,
}

pub struct Request {
    pub line: String,
    /// Lower-case names.
    pub headers: Vec<String>,
    pub body: Vec<u8>,
}

pub struct Archive {
    pub url: String,
    requests: Receiver<Request>,
}

impl Archive {
    /// `{url}` in a body becomes the archive's own address. The last answer is repeated.
    pub fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel();
        let own = url.clone();
        thread::spawn(move || {
            let mut answers = answers.into_iter();
            let mut answer = answers.next().unwrap();
            let mut hung = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let known = sender.send(request).is_ok();
                match &answer {
                    Answer::Say(status, headers, body) => {
                        say(&mut stream, *status, headers, &body.replace("{url}", &own));
                    }
                    Answer::Hang => hung.push(stream),
                    Answer::Close => drop(stream),
                }
                answer = answers.next().unwrap_or(answer);
                if !known {
                    break;
                }
            }
        });
        Self { url, requests }
    }

    /// All that was asked until now.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let line = lines.remove(0);
    let lower = |line: &String| line.split_once(':').map(|(name, value)| format!("{}:{value}", name.to_lowercase()));
    let headers: Vec<String> = lines.iter().filter_map(lower).collect();
    let length =
        headers.iter().find_map(|header| header.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body })
}

fn say(stream: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
    // The probe may be gone already: that is its matter.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
