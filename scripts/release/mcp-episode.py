"""An episode with chapters in three calls of `earshot mcp`, by the official Python client (PyPI: mcp 2.3.0), as a peer of
the TypeScript clients in test/cli/mcp: `python scripts/release/mcp-episode.py`, with node on PATH. It checks each answer
by the tool's output schema, as the client does by itself."""

import asyncio
import pathlib
import shutil
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = pathlib.Path(__file__).resolve().parents[2]


def words(answer) -> str:
    return next(part.text for part in answer.content if part.type == "text")


def data(answer) -> dict:
    assert not answer.is_error, words(answer)
    return answer.structured_content


async def main() -> None:
    folder = pathlib.Path(tempfile.mkdtemp(prefix="earshot-mcp-"))
    shutil.copy(ROOT / "docs/samples/talk.opus", folder)
    node = str(ROOT / "node_modules/.bin/node")
    args = [str(ROOT / "src/cli/main.ts"), "mcp", "--allow", str(folder)]
    server = StdioServerParameters(command=node, args=args, env={"XDG_DATA_HOME": str(folder / "data")})
    try:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            prompts = (await session.list_prompts()).prompts
            print(f"{len(tools)} tools, prompts: {', '.join(prompt.name for prompt in prompts)}")
            made = await session.call_tool(
                "make_episode", {"tracks": ["talk.opus"], "title": "On walking", "target": -19, "captions": "yes"}
            )
            print(words(made).splitlines()[0])
            while data(made)["status"] == "running":
                made = await session.call_tool("get_job", {"job_id": data(made)["job_id"]})
                print(words(made).splitlines()[0])
            said = await session.call_tool("read_transcript", {"file": "talk.episode.json", "from": "0:00"})
            print(words(said).splitlines()[0])
            chapters = [{"at": "0:00", "title": "Errors"}, {"at": "0:03", "title": "Slowly"}]
            given = {"file": "talk.episode.mp3", "chapters": chapters, "in_place": True}
            labelled = await session.call_tool("label_file", given)
            print(words(labelled).splitlines()[0])
            facts = await session.call_tool("probe_file", {"file": "talk.episode.mp3"})
            assert [(each["startSeconds"], each["title"]) for each in data(facts)["chapters"]] == [
                (0, "Errors"),
                (3, "Slowly"),
            ], data(facts)
            assert data(facts)["tags"]["title"] == "On walking"
            print("an episode with 2 chapters in three calls")
    finally:
        shutil.rmtree(folder)


asyncio.run(main())
