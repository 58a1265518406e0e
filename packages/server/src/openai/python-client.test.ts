import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startApiServer } from './start-api-server.ts'
import { testKey, testSettings } from './test-settings.ts'

const python = process.env['HERMES_TEST_PYTHON'] ?? 'python3'

/** Chat, a stream with tools and usage, responses that are chained and streamed: everything with the official package. */
const program = `
import sys
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
hello = [{"role": "user", "content": "What does echo say?"}]
chat = client.chat.completions.create(model="m", messages=hello)
assert chat.choices[0].message.content == "It says hi.", chat
text, tools, usage = "", [], None
for chunk in client.chat.completions.create(model="m", messages=hello, stream=True, stream_options={"include_usage": True}):
    if chunk.choices and chunk.choices[0].delta.content:
        text += chunk.choices[0].delta.content
    if chunk.model_extra.get("hermes"):
        assert chunk.choices == []
        tools.append(chunk.model_extra["hermes"]["type"])
    usage = chunk.usage or usage
assert text == "Let me look.\\n\\nIt says hi.", text
assert tools == ["tool.started", "tool.completed"], tools
assert usage.total_tokens > 0
first = client.responses.create(model="m", input="What does echo say?")
assert first.output_text.endswith("It says hi."), first
second = client.responses.create(model="m", input="Again", previous_response_id=first.id)
assert len(second.output) == 4, second
with client.responses.stream(model="m", input="Once more", previous_response_id=second.id) as stream:
    kinds = [event.type for event in stream]
    final = stream.get_final_response()
assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
assert client.responses.retrieve(final.id).output_text == final.output_text
client.responses.delete(final.id)
assert [model.id for model in client.models.list()] == ["hermes-agent"]
print("ok")
`

test('the official Python client chats, streams, sees tools and chains responses', { skip: missing() }, async () => {
  await using agent = await startScriptedAgent({
    config: 'tools: {search: never}\n',
    script: (request) =>
      request.body.messages?.at(-1)?.role === 'tool'
        ? { text: 'It says hi.' }
        : { text: 'Let me look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] },
  })
  await using server = await startApiServer({ agent: agent.context, settings: testSettings() })
  const { stdout } = await promisify(execFile)(python, ['-c', program, `${server.url}/v1`, testKey], {
    timeout: 60_000,
  })
  assert.equal(stdout.trim(), 'ok')
})

function missing(): string | false {
  try {
    execFileSync(python, ['-c', 'import openai'], { stdio: 'ignore', timeout: 30_000 })
    return false
  } catch {
    return 'the Python package openai is not installed (pip install openai; HERMES_TEST_PYTHON names another python3)'
  }
}
