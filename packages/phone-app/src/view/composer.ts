import type { PhoneAgent } from '../agent/agent.ts'
import type { ChatState } from '../agent/chat-item.ts'
import { startRecording } from '../audio/recorder.ts'
import type { Recording } from '../audio/recorder.ts'
import { button, element } from './element.ts'
import { icon } from './icon.ts'

/** Largest file that is offered to the agent, bytes; the server has its own limit. */
const maxFileBytes = 40_000_000

/** Between two signs that the person is typing, ms. */
const typingMs = 3_000

const placeholder = 'Write to Hermes'

/** Where the person writes, speaks and attaches. */
export interface Composer {
  readonly element: HTMLElement
  show(state: ChatState): void
  focus(): void
}

export function createComposer(agent: PhoneAgent, onError: (error: unknown) => void): Composer {
  let recording: Recording | undefined
  let lastTyping = 0

  const text = element('textarea', {
    rows: 1,
    placeholder,
    'aria-label': 'Message',
    enterkeyhint: 'send',
  })
  const send = element(
    'button',
    { type: 'submit', class: 'primary send', 'aria-label': 'Send', title: 'Send' },
    icon('send'),
  )
  const halt = button(
    icon('stop'),
    { class: 'stop', hidden: true, onclick: () => void agent.stop?.().catch(onError) },
    'Stop',
  )
  const form = element(
    'form',
    { class: 'composer', onsubmit: submit },
    ...fileParts(),
    ...voiceParts(),
    text,
    halt,
    send,
  )

  function submit(event: Event): void {
    event.preventDefault()
    const said = text.value
    if (said.trim() === '') return
    text.value = ''
    grow()
    agent.send(said).catch((error: unknown) => {
      // The words are not lost.
      if (text.value === '') text.value = said
      grow()
      onError(error)
    })
  }

  function grow(): void {
    text.style.height = 'auto'
    text.style.height = `${Math.min(text.scrollHeight, 160)}px`
    form.classList.toggle('writing', text.value !== '')
  }

  function fileParts(): readonly HTMLElement[] {
    if (!agent.sendFile) return []
    const input = element('input', { type: 'file', hidden: true, onchange: () => void attach() })
    const attach = async () => {
      const [file] = input.files ?? []
      input.value = ''
      if (!file) return
      if (file.size > maxFileBytes) return onError(new Error(`${file.name} is larger than 40 MB.`))
      const caption = text.value.trim()
      text.value = ''
      grow()
      await agent.sendFile?.(file, caption).catch(onError)
    }
    return [input, button(icon('attach'), { class: 'attach', onclick: () => input.click() }, 'Send a photo or a file')]
  }

  function voiceParts(): readonly HTMLElement[] {
    // A page without TLS from another machine has no microphone.
    if (!agent.sendVoice || !('mediaDevices' in navigator)) return []
    const toggle = button(
      icon('microphone'),
      { class: 'voice', 'aria-pressed': 'false', onclick: () => void record().catch(onError) },
      'Record a voice message',
    )
    const discard = button(
      icon('remove'),
      {
        hidden: true,
        onclick: () => {
          const dropped = recording
          recording = undefined
          mark(false)
          toggle.focus()
          void dropped?.stop().catch(() => undefined)
        },
      },
      'Discard the recording',
    )
    const mark = (isOn: boolean) => {
      discard.hidden = !isOn
      form.classList.toggle('recording', isOn)
      text.placeholder = isOn ? 'Recording …' : placeholder
      toggle.setAttribute('aria-pressed', String(isOn))
      toggle.replaceChildren(icon(isOn ? 'send' : 'microphone'))
      const label = isOn ? 'Send the recording' : 'Record a voice message'
      toggle.setAttribute('aria-label', label)
      toggle.title = label
    }
    const record = async () => {
      if (!recording) {
        recording = await startRecording()
        return mark(true)
      }
      const ended = recording
      recording = undefined
      mark(false)
      const wav = await ended.stop()
      if (wav) await agent.sendVoice?.(wav)
      return undefined
    }
    return [discard, toggle]
  }

  text.addEventListener('input', () => {
    grow()
    if (!agent.typing || Date.now() - lastTyping < typingMs) return
    lastTyping = Date.now()
    agent.typing()
  })
  text.addEventListener('keydown', (event) => {
    // A phone's Enter makes a line; a keyboard's sends, but while a word is being composed.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    form.requestSubmit()
  })

  return {
    element: form,
    show({ connection, canStop, activity }) {
      send.disabled = connection === 'refused'
      halt.hidden = !agent.stop || !(canStop || activity !== 'idle')
    },
    focus: () => text.focus(),
  }
}
