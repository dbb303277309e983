//! A minimal server on rmcp 1.8; `client COMMAND [ARGUMENT]...` prints what the client of rmcp sees of a server, as JSON.

use std::env;
use std::error::Error;

use rmcp::model::{
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerInfo, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::{TokioChildProcess, stdio};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, json};
use tokio::process::Command;

struct Minimal;

impl ServerHandler for Minimal {
    fn get_info(&self) -> ServerInfo {
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build())
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
    let client = ().serve(TokioChildProcess::new(child)?).await?;
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
