"""A language model on loopback that reads its turns from a script, in the two dialects that coding
agents speak: Responses (`/v1/responses`) and Chat Completions (`/v1/chat/completions`), streamed.

What it is asked is kept, so that a test can say what an agent told its model."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Turn:
    """One thing that the model says: the call of a tool, or its last words.

    `arguments` may be a function of the results so far: what a model would read out of them."""

    def __init__(self, tool=None, arguments=None, text=None):
        self.tool, self.arguments, self.text = tool, arguments or {}, text


def tools_of(request):
    """Names of the tools an agent offers: (namespace, name), namespace "" where there is none."""
    found = []
    for tool in request.get("tools") or []:
        if tool.get("type") == "namespace":
            found += [(tool["name"], inner["name"]) for inner in tool["tools"]]
        elif tool.get("type") == "function":
            found.append(("", tool.get("name") or tool["function"]["name"]))
    return found


def text_of(content):
    """The text of a message, whatever parts it comes in."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def results_of(request):
    """What the tools answered, oldest first, as the agent showed it to its model."""
    responses = [text_of(item.get("output")) for item in request.get("input") or []
                 if isinstance(item, dict) and item.get("type") == "function_call_output"]
    chat = [text_of(message.get("content")) for message in request.get("messages") or []
            if message.get("role") == "tool"]
    return responses + chat


class LoopbackModel:
    """Serves `turns` to whoever offers the tool of the first one; each request with n results in it
    gets turn n. Requests without our tools (titles, summaries) get a word that ends them."""

    def __init__(self, server, turns):
        self.server, self.turns = server, turns
        self.requests = []
        self.faults = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                events = model.answer(self.path, body)
                self.send_response(200 if events else 404)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write("".join(events).encode())

            def do_GET(self):
                self.send_response(404)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def _named(self, request, tool):
        """(namespace, name) under which the agent offers a tool of our server; None if it does not."""
        for namespace, name in tools_of(request):
            if name == tool and self.server in namespace:
                return namespace, name
            if name.endswith(tool) and self.server in name:
                return namespace, name
        return None

    def turn_after(self, results):
        """The next turn of the script; a subclass may read the results first."""
        return self.turns[min(len(results), len(self.turns) - 1)]

    def _turn(self, request):
        if self._named(request, self.turns[0].tool) is None:
            return Turn(text="ok"), None
        self.requests.append(request)
        results = results_of(request)
        turn = self.turn_after(results)
        if turn.tool is None:
            return turn, None
        named = self._named(request, turn.tool)
        if named is None:
            self.faults.append(f"the agent offers no tool {turn.tool}")
            return Turn(text="ok"), None
        arguments = turn.arguments(results) if callable(turn.arguments) else turn.arguments
        return Turn(turn.tool, arguments), named

    def answer(self, path, request):
        try:
            turn, named = self._turn(request)
        except Exception as fault:  # a script that does not fit ends the agent, not the server
            self.faults.append(repr(fault))
            turn, named = Turn(text="ok"), None
        if path.endswith("/responses"):
            return responses_events(turn, named, len(self.requests))
        if path.endswith("/chat/completions"):
            return chat_events(turn, named, len(self.requests))
        return []


def responses_events(turn, named, number):
    if turn.tool:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}",
                "name": named[1], "arguments": json.dumps(turn.arguments), "status": "completed"}
        if named[0]:
            item["namespace"] = named[0]
    else:
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": turn.text, "annotations": []}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
             "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": f"resp_{number}", "object": "response", "status": "completed",
                "output": [item], "usage": usage}
    events = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def chat_events(turn, named, number):
    if turn.tool:
        call = {"index": 0, "id": f"call_{number}", "type": "function",
                "function": {"name": named[1], "arguments": json.dumps(turn.arguments)}}
        delta, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    else:
        delta, reason = {"role": "assistant", "content": turn.text}, "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunk = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 0,
             "model": "scripted"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    return [f"data: {json.dumps(one)}\n\n" for one in chunks] + ["data: [DONE]\n\n"]
