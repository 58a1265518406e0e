/** What a stand-in of the skill services serves. Tests change it while it runs. */
export interface SkillsWorld {
  /** Repositories on GitHub by `owner/name`. */
  readonly repositories: Map<string, StandInRepository>
  /** Files under `/.well-known`, by path from there, e.g. `skills/index.json`. */
  readonly wellKnown: Map<string, string | Uint8Array>
  /** What skills.sh finds. */
  readonly skillsSh: {
    readonly id: string
    readonly name: string
    readonly skillId?: string
    readonly source: string
    readonly installs?: number
  }[]
  /** The skills of ClawHub by slug. */
  readonly clawHub: Map<string, StandInClawSkill>
  /** The agents of LobeHub by identifier. */
  readonly lobeHub: Map<string, { readonly title: string; readonly description: string; readonly systemRole: string }>
  /** The JSON of an index of skills. */
  index: unknown
  /** Requests of GitHub's API that are still answered; then it says that the limit is reached. */
  apiRequestsLeft: number
  /** Answer every request so, in place of what is asked for. */
  failWith: { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | undefined
}

export interface StandInRepository {
  readonly files: Map<string, string | Uint8Array>
  /** Paths that are links. */
  readonly links?: ReadonlySet<string>
  /** Whether the token may write to it. */
  readonly mayPush?: boolean
  /** Only seen with the token. */
  readonly isPrivate?: boolean
  /** Serve other bytes than the tree says. */
  readonly corrupt?: boolean
  /** Branches that were made, with their files. */
  readonly branches: Map<string, ReadonlyMap<string, string | Uint8Array>>
  readonly pulls: StandInPull[]
}

export interface StandInPull {
  readonly title: string
  readonly head: string
  readonly base: string
  readonly body: string
}

export interface StandInClawSkill {
  readonly version: string
  readonly summary: string
  readonly files: ReadonlyMap<string, string>
  readonly isMalware?: boolean
  /** List other digests than the files have. */
  readonly corrupt?: boolean
}

/** A repository with these files. */
export function repository(
  files: Readonly<Record<string, string | Uint8Array>>,
  more: Partial<Pick<StandInRepository, 'links' | 'mayPush' | 'isPrivate' | 'corrupt'>> = {},
): StandInRepository {
  return { files: new Map(Object.entries(files)), branches: new Map(), pulls: [], ...more }
}

export function emptyWorld(): SkillsWorld {
  return {
    repositories: new Map(),
    wellKnown: new Map(),
    skillsSh: [],
    clawHub: new Map(),
    lobeHub: new Map(),
    index: { skills: [] },
    apiRequestsLeft: 1_000,
    failWith: undefined,
  }
}
