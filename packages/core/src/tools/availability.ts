import type { AgentContext } from '../agent/context.ts'
import type { ToolSession } from './tool-source.ts'

/**
 * Whether a session can use a tool, where settings alone do not tell: `true`, or what is missing and how to get it.
 * Asked at the beginning of every turn that may use the tool, so it is quick and its module imports little.
 */
export interface Availability {
  (context: AgentContext, session: ToolSession | undefined): true | string | Promise<true | string>
  /** What it says holds for all sessions, and so long, ms: for what takes some time to tell. Default 0. */
  readonly freshMs?: number
}

/** Loads a check. Tools that name the same one depend on the same. */
export type LoadAvailability = () => Promise<Availability>

const homeAssistant = async () => (await import('./media-availability.ts')).homeAssistant

const browser = async () => (await import('../browser/availability.ts')).browserAvailability

/** Those checks, by the name of the tool. A tool that is not listed is there whenever its settings are on. */
export const availability: Readonly<Record<string, LoadAvailability>> = {
  cronjob: async () => (await import('./cronjob-availability.ts')).cronjobAvailability,
  browser_back: browser,
  browser_click: browser,
  browser_console: browser,
  browser_dialog: browser,
  browser_get_images: browser,
  browser_navigate: browser,
  browser_press: browser,
  browser_scroll: browser,
  browser_snapshot: browser,
  browser_type: browser,
  browser_vision: browser,
  ha_call_service: homeAssistant,
  ha_get_state: homeAssistant,
  ha_list_entities: homeAssistant,
  ha_list_services: homeAssistant,
  image_generate: async () => (await import('./media-availability.ts')).imageGenerate,
  mixture_of_agents: async () => (await import('./media-availability.ts')).mixtureOfAgents,
  send_message: async () => (context) =>
    context.messenger
      ? (context.messenger.lacks?.().then((lack) => lack ?? true) ?? true)
      : 'messages are sent from sessions of the gateway (hermes gateway)',
  vision_analyze: async () => (await import('./media-availability.ts')).visionAnalyze,
  // Without a service of its own it is always there, and nothing needs to be loaded to know.
  web_search: async () => (context) =>
    context.config.web.backend === '' ||
    import('../web/choose-providers.ts').then(({ whatBackendLacks }) => whatBackendLacks(context) ?? true),
}
