"""What `warpmind mcp install --write` writes, against the fields that each client documents, and
started as the client would: configurations_test.py BIN_DIRECTORY"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mcp"))
from mcp_client import Home  # noqa: E402

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

BIN = sys.argv.pop(1)
TEXT, LIST, MAP, FLAG, NUMBER = str, list, dict, bool, (int, float)
# Of a server on standard input and output, as documented: field: (type, must be there).
STDIO = {"type": (TEXT, False), "command": (TEXT, True), "args": (LIST, False), "env": (MAP, False)}
# client: file, key of the servers, fields of one, what "type" may be.
CLIENTS = {
    "claude-code": (".mcp.json", "mcpServers", {**STDIO, "timeout": (NUMBER, False)}, {"stdio"}),
    "cursor": (".cursor/mcp.json", "mcpServers",
               {**STDIO, "type": (TEXT, True), "envFile": (TEXT, False)}, {"stdio"}),
    "vscode": (".vscode/mcp.json", "servers",
               {**STDIO, "type": (TEXT, True), "envFile": (TEXT, False), "cwd": (TEXT, False)},
               {"stdio"}),
    "opencode": ("opencode.json", "mcp",
                 {"type": (TEXT, True), "command": (LIST, True), "environment": (MAP, False),
                  "enabled": (FLAG, False), "timeout": (NUMBER, False)}, {"local"}),
    "codex": (".codex/config.toml", "mcp_servers",
              {"command": (TEXT, True), "args": (LIST, False), "env": (MAP, False),
               "cwd": (TEXT, False), "startup_timeout_sec": (NUMBER, False),
               "tool_timeout_sec": (NUMBER, False), "enabled": (FLAG, False),
               "required": (FLAG, True)}, {None}),
}
OTHER = {"other": {"type": "stdio", "command": "other", "args": []}}


class Configurations(unittest.TestCase):
    def setUp(self):
        self.home = Home(BIN)
        self.addCleanup(self.home.close)
        self.project = self.home.path / "project with a space"
        self.project.mkdir()

    def install(self, client):
        ran = self.home.run("mcp", "install", "--client", client, "--write", cwd=self.project)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stderr

    def file_of(self, client):
        return (self.home.path if client == "codex" else self.project) / CLIENTS[client][0]

    def read(self, client):
        text = self.file_of(client).read_text()
        if client != "codex":
            return json.loads(text)
        if tomllib is None:
            self.skipTest("this Python reads no TOML")
        return tomllib.loads(text)

    def check_fields(self, client, server):
        _, _, fields, types = CLIENTS[client]
        self.assertLessEqual(set(server), set(fields), "fields that the client does not know")
        for name, (kind, required) in fields.items():
            self.assertTrue(name in server or not required, f"{name} is missing")
            if name in server:
                self.assertIsInstance(server[name], kind, name)
        self.assertIn(server.get("type"), types)

    def start_as_written(self, server):
        """The handshake with what the client would start, in an environment as bare as it gets."""
        command = server["command"]
        command = command if isinstance(command, list) else [command, *server["args"]]
        self.assertTrue(os.access(command[0], os.X_OK), command)
        self.assertTrue(os.path.isabs(command[0]), "PATH of an editor is not that of a shell")
        asked = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                             "clientInfo": {"name": "test", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]
        ran = subprocess.run(
            command, input="".join(json.dumps(line) + "\n" for line in asked),
            env={"HOME": str(self.home.path), "PATH": "/usr/bin:/bin"}, cwd=self.project,
            capture_output=True, text=True, timeout=120, check=False,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        begun, listed = map(json.loads, ran.stdout.splitlines())
        self.assertEqual(begun["result"]["serverInfo"]["name"], "warpmind")
        self.assertEqual(len(listed["result"]["tools"]), 9)

    def test_every_client_can_read_and_start_it(self):
        for client in CLIENTS:
            with self.subTest(client):
                self.install(client)
                servers = self.read(client)[CLIENTS[client][1]]
                self.assertEqual(list(servers), ["warpmind"])
                self.check_fields(client, servers["warpmind"])
                self.start_as_written(servers["warpmind"])

    def test_what_stood_there_stays_and_a_second_time_changes_nothing(self):
        for client, (_, key, _, _) in CLIENTS.items():
            with self.subTest(client):
                file = self.file_of(client)
                file.parent.mkdir(parents=True, exist_ok=True)
                before = ('model = "m" # mine\n\n[mcp_servers.other]\ncommand = "other"\n'
                          if client == "codex" else json.dumps({"mine": 1, key: OTHER}))
                file.write_text(before)
                self.assertIn(".backup", self.install(client))
                self.assertEqual(Path(f"{file}.backup").read_text(), before)
                written = file.read_text()
                self.assertIn("# mine" if client == "codex" else '"mine"', written)
                self.assertEqual(set(self.read(client)[key]), {"other", "warpmind"})
                self.install(client)
                self.assertEqual(file.read_text(), written)
                self.assertFalse(Path(f"{file}.backup2").exists())

    def test_what_cannot_be_written_is_one_sentence(self):
        ran = self.home.run("mcp", "install", "--client", "emacs", "--write", cwd=self.project)
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran.stderr)
        file = self.file_of("vscode")
        file.parent.mkdir()
        file.write_text("// servers\n{}\n")
        ran = self.home.run("mcp", "install", "--client", "vscode", "--write", cwd=self.project)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("add the printed server by hand", ran.stderr)
        self.assertIn("warpmind", json.loads(ran.stdout)["servers"])
        self.assertEqual(file.read_text(), "// servers\n{}\n")


if __name__ == "__main__":
    unittest.main()
