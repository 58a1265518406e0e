// Stands in for the language of chat templates: a template is JSON that says what it can.

export class Template {
  constructor(source) {
    this.rules = source.startsWith('{%') ? {} : JSON.parse(source)
  }

  render({ messages, tools }) {
    const { refusesSystem, knowsTools, thinks } = this.rules
    const written = messages.map(({ role, content, tool_calls: calls = [] }) => {
      if (role === 'system' && refusesSystem) throw new Error('System role not supported')
      const told = knowsTools ? calls.map((call) => JSON.stringify(call.function)).join('') : ''
      return `<|im_start|>${role}\n${content}${told}<|im_end|>\n`
    })
    const listed = knowsTools && tools ? `<tools>${JSON.stringify(tools)}</tools>\n` : ''
    return `${listed}${written.join('')}<|im_start|>assistant\n${thinks ? '<think>\n' : ''}`
  }
}
