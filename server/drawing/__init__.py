"""Charts as SVG, drawn by the server: for readers without scripts, paper, mails and other pages. Pure."""
