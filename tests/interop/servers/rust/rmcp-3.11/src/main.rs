//! A minimal server on rmcp 3.11; `client COMMAND [ARGUMENT]...` prints what the client of rmcp sees of a server, as JSON.

use std::env;
use std::error::Error;

use rmcp::model::{
    Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RoleServer};
use rmcp::transport::{TokioChildProcess, stdio};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, json};
use tokio::process::Command;

struct Minimal;

impl ServerHandler for Minimal {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("minimal", "1.2.3"))
            .with_instructions("Adds numbers.")
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Map::from_iter([("type".into(), json!("object"))]);
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            "add",
            "Add two numbers.",
            schema,
        )]))
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    Minimal.serve(stdio()).await?.waiting().await?;
    Ok(())
}

async fn look(command: &[String]) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let transport = TokioChildProcess::new(child)?;
    let client = ().serve_with_lifecycle(transport, lifecycle).await?;
    let seen = client.peer_info().unwrap();
    let tools = client.list_all_tools().await?;
    let names: Vec<_> = tools.iter().map(|tool| &tool.name).collect();
    println!(
        "{}",
        json!({
            "version": seen.protocol_version,
            "server": seen.server_info,
            "capabilities": seen.capabilities,
            "instructions": seen.instructions,
            "tools": names,
        })
    );
    client.cancel().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        Some((word, command)) if word == "client" => look(command).await,
        _ => serve().await,
    }
}
