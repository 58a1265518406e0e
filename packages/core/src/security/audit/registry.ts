import type { AuditCheck } from './finding.ts'

/** Every check, by name; each is loaded when it runs. */
export const auditChecks: Readonly<Record<string, () => Promise<AuditCheck>>> = {
  permissions: async () => (await import('./permissions.ts')).checkPermissions,
  consent: async () => (await import('./consent-settings.ts')).checkConsentSettings,
  servers: async () => (await import('./open-servers.ts')).checkServers,
  secrets: async () => (await import('./weak-secrets.ts')).checkSecrets,
  access: async () => (await import('./open-access.ts')).checkAccess,
  skills: async () => (await import('./risky-skills.ts')).checkSkills,
  mcp: async () => (await import('./mcp-servers.ts')).checkMcpServers,
  repository: async () => (await import('./secrets-in-git.ts')).checkRepositories,
  'audit-log': async () => (await import('./audit-log-state.ts')).checkAuditLog,
}
