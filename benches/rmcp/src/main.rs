//! A program that uses rmcp, the official SDK for Rust, where the other programs use this library.
//!
//!     rmcp-host probe SERVER [ARGUMENT]...
//!     rmcp-host read FILE
//!     rmcp-host build

use std::env;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, DiscoverRequest,
    DiscoverRequestParams, Implementation, InitializeRequestParams, JsonRpcMessage,
    ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, service};
use tokio::process::Command;
use tokio::runtime;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// As `benches/c/rounds.h` says.
fn run_rounds(mut task: impl FnMut() -> Outcome) -> Outcome {
    for line in io::stdin().lines() {
        let times: u32 = line?.trim().parse()?;
        let began = Instant::now();
        for _ in 0..times {
            task()?;
        }
        println!("{} 0 0", began.elapsed().as_nanos());
        io::stdout().flush()?;
    }
    Ok(())
}

fn client() -> Implementation {
    Implementation::new("host", "1.0.0")
}

fn probe(argv: &[String]) -> Outcome {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    run_rounds(|| runtime.block_on(probe_once(argv)))
}

async fn probe_once(argv: &[String]) -> Outcome {
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]);
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    let info = InitializeRequestParams::new(ClientCapabilities::default(), client());
    let client =
        service::serve_client_with_lifecycle(info, TokioChildProcess::new(command)?, lifecycle)
            .await?;
    black_box(client.peer_info());
    client.cancel().await?;
    Ok(())
}

fn read(path: &str) -> Outcome {
    let message = fs::read(path)?;
    run_rounds(|| {
        let message: ServerJsonRpcMessage = serde_json::from_slice(black_box(&message))?;
        match black_box(message) {
            JsonRpcMessage::Response(response)
                if matches!(response.result, ServerResult::DiscoverResult(_)) =>
            {
                Ok(())
            }
            other => Err(format!("no DiscoverResult: {other:?}").into()),
        }
    })
}

fn build() -> Outcome {
    let mut discover = DiscoverRequest::new(DiscoverRequestParams {});
    discover
        .extensions
        .insert(RequestMetaObject::with_client_context(
            ProtocolVersion::V_2026_07_28,
            client(),
            ClientCapabilities::default(),
        ));
    let request = ClientJsonRpcMessage::request(
        ClientRequest::DiscoverRequest(discover),
        RequestId::String("discover-1".into()),
    );
    run_rounds(|| {
        black_box(serde_json::to_vec(black_box(&request))?);
        Ok(())
    })
}

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["probe", _, ..] => probe(&arguments[1..]),
        ["read", path] => read(path),
        ["build"] => build(),
        _ => Err("expected probe, read or build".into()),
    }
}
