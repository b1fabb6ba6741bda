"""A small editor: frames of the Language Server Protocol to and from a process."""

import json
import subprocess
import threading
from pathlib import Path
from queue import Queue

PATIENCE = 300  # s; reached only when something is broken


class Editor:
    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.messages = Queue()
        self.heard = []
        self.last_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                return self.messages.put(None)
            self.messages.put(json.loads(stream.read(length)))

    def send(self, message):
        # Laid out over lines, as some editors do.
        body = json.dumps({"jsonrpc": "2.0", **message}, indent=1).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def hear(self):
        """The next message; requests of the server are agreed to. None when it has ended."""
        message = self.messages.get(timeout=PATIENCE)
        if message is not None:
            self.heard.append(message)
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})
        return message

    def ask(self, method, params):
        """Result of a request; what the server says meanwhile is in `heard`."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (message := self.hear()) is not None:
            if message.get("id") == self.last_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
        raise EOFError(f"the server ended before it answered {method}")

    def await_message(self, wanted):
        """The first message, heard or still to come, for which `wanted` holds."""
        for message in self.heard:
            if wanted(message):
                return message
        while (message := self.hear()) is not None:
            if wanted(message):
                return message
        raise EOFError("the server ended before what was awaited")

    def begin(self, **options):
        capabilities = {
            "window": {"workDoneProgress": True},
            "workspace": {"codeLens": {"refreshSupport": True}},
        }
        result = self.ask(
            "initialize",
            {"processId": None, "rootUri": None, "capabilities": capabilities,
             "initializationOptions": options},
        )
        self.tell("initialized", {})
        return result

    def open(self, path: Path, text=None):
        text = path.read_text() if text is None else text
        document = {"uri": path.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def about(self, path: Path, **more):
        return {"textDocument": {"uri": path.as_uri()}, **more}

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)


def applied(text: str, edits):
    """Text after edits of whole positions in ASCII, last first."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(position):
        return min(starts[min(position["line"], len(lines))] + position["character"], len(text))

    for edit in sorted(edits, key=lambda e: -offset(e["range"]["start"])):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text
