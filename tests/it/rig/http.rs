//! HTTP/1.1 as it stands on the wire: whoever kills a process in the middle of a reply must hold the reply's bytes.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// One message: its head with the empty line at its end, and its body as it was framed.
#[derive(Debug, Clone)]
pub struct Message {
    head: String,
    body: Vec<u8>,
    content: Vec<u8>,
}

impl Message {
    /// A reply with these headers and this body.
    pub fn reply(status: u16, headers: &[(&str, &str)], content: &[u8]) -> Self {
        let mut head = format!("HTTP/1.1 {status} Reason\r\ncontent-length: {}\r\n", content.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self { head, body: content.to_vec(), content: content.to_vec() }
    }

    /// A reply to a HEAD request: it tells a length and has no body.
    pub fn head_reply(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut reply = Self::reply(status, headers, b"");
        reply.head = reply.head.replace("content-length: 0\r\n", "");
        reply
    }

    fn start(&self) -> impl Iterator<Item = &str> {
        self.head.lines().next().unwrap_or_default().split(' ')
    }

    /// Method of a request.
    pub fn method(&self) -> &str {
        self.start().next().unwrap_or_default()
    }

    /// Path and query of a request.
    pub fn target(&self) -> &str {
        self.start().nth(1).unwrap_or_default()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The body without its framing.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// All of it, as it stands on the wire.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }

    /// Whether a reply to a request of this method has no body, whatever its headers say.
    fn has_no_body(&self, answers: Option<&str>) -> bool {
        let status = self.start().nth(1).unwrap_or_default();
        answers.is_some_and(|method| method == "HEAD" || status == "204" || status == "304")
    }
}

/// One end of a connection.
pub struct Connection {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl Connection {
    /// Takes a stream.
    pub fn of(stream: TcpStream) -> Self {
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        Self { reader: BufReader::new(reader), writer }
    }

    /// Sends a message, or a part of one.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).await?;
        self.writer.flush().await
    }

    /// Returns when the other end has closed or sends what nobody asked for.
    pub async fn until_closed(&mut self) {
        let _ = self.reader.fill_buf().await;
    }

    /// The next message; `None` when the other end closed between two. `answers` is the request's method when the
    /// message is a reply.
    pub async fn receive(&mut self, answers: Option<&str>) -> io::Result<Option<Message>> {
        let mut head = String::new();
        loop {
            let before = head.len();
            if self.reader.read_line(&mut head).await? == 0 {
                return if head.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            if &head[before..] == "\r\n" {
                break;
            }
        }
        let mut message = Message { head, body: Vec::new(), content: Vec::new() };
        if message.has_no_body(answers) {
            return Ok(Some(message));
        }
        let chunked = message.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
        let length = message.header("content-length").and_then(|length| length.parse().ok());
        if chunked {
            self.receive_chunks(&mut message).await?;
        } else if let Some(length) = length {
            message.body = vec![0; length];
            self.reader.read_exact(&mut message.body).await?;
            message.content.clone_from(&message.body);
        } else if answers.is_some() {
            self.reader.read_to_end(&mut message.body).await?;
            message.content.clone_from(&message.body);
        }
        Ok(Some(message))
    }

    async fn receive_chunks(&mut self, message: &mut Message) -> io::Result<()> {
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).await?;
            message.body.extend(line.bytes());
            let digits = line.split(';').next().unwrap_or_default().trim();
            let length = usize::from_str_radix(digits, 16).map_err(|_| io::ErrorKind::InvalidData)?;
            // The last chunk is empty; its line end closes the body, and no engine here sends trailers.
            let mut chunk = vec![0; length + 2];
            self.reader.read_exact(&mut chunk).await?;
            message.body.extend(&chunk);
            message.content.extend(&chunk[..length]);
            if length == 0 {
                return Ok(());
            }
        }
    }
}

/// Answers every request on a port of its own; answers where.
pub async fn serve<R: Future<Output = Message> + Send>(
    reply: impl Fn(Message) -> R + Clone + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let reply = reply.clone();
            tokio::spawn(async move {
                let mut client = Connection::of(stream);
                while let Ok(Some(request)) = client.receive(None).await {
                    if client.send(&reply(request).await.bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
