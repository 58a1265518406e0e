import type { PhoneAgent } from '../agent/agent.ts'
import { button, element } from './element.ts'

/** Model, reasoning and the connection, as a dialog. */
export interface SettingsDialog {
  readonly element: HTMLDialogElement
  open(): void
}

export function createSettings(
  { models, reasoning }: Pick<PhoneAgent, 'models' | 'reasoning'>,
  { onError, forget }: { readonly onError: (error: unknown) => void; readonly forget: () => void },
): SettingsDialog {
  const model = element('select', { id: 'model', disabled: true })
  const effort = element('select', { id: 'effort', disabled: true })
  const dialog = element(
    'dialog',
    { class: 'sheet', 'aria-labelledby': 'settings-title' },
    element('h2', { id: 'settings-title' }, 'Settings'),
  )
  if (models) dialog.append(element('label', { for: 'model' }, 'Model'), model)
  if (reasoning) dialog.append(element('label', { for: 'effort' }, 'Reasoning'), effort)
  const askAndForget = () => {
    if (confirm('Forget the agent’s token and what is kept of the conversation on this phone?')) forget()
  }
  const disconnect = button('Forget this agent', { class: 'danger', onclick: askAndForget })
  dialog.append(element('div', { class: 'options' }, disconnect, button('Close', { onclick: () => dialog.close() })))

  model.addEventListener('change', () => {
    const [provider = '', name = ''] = JSON.parse(model.value) as readonly string[]
    models?.choose(provider, name).catch(onError)
  })
  effort.addEventListener('change', () => {
    if (effort.value !== '') reasoning?.choose(effort.value).catch(onError)
  })

  async function fillModels(): Promise<void> {
    if (!models) return
    const choice = await models.list()
    const groups = choice.groups.map(({ provider, label, models: names }) => {
      const options = names.map((name) => {
        const selected = provider === choice.provider && name === choice.model
        return element('option', { value: JSON.stringify([provider, name]), selected }, name)
      })
      return element('optgroup', { label }, ...options)
    })
    model.replaceChildren(...groups)
    model.disabled = false
  }

  async function fillReasoning(): Promise<void> {
    if (!reasoning) return
    const { efforts, effort: current } = await reasoning.read()
    const usual = element('option', { value: '', selected: current === '', disabled: true }, 'as the model does')
    effort.replaceChildren(
      usual,
      ...efforts.map((one) => element('option', { value: one, selected: one === current }, one)),
    )
    effort.disabled = false
  }

  return {
    element: dialog,
    open() {
      dialog.showModal()
      Promise.all([fillModels(), fillReasoning()]).catch(onError)
    },
  }
}
