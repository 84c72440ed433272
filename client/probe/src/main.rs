use std::process::ExitCode;

fn main() -> ExitCode {
    diskatlas::cli::main()
}
