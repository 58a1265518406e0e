import { inParallel } from '../in-parallel.ts'
import { matching } from '../match.ts'
import { checkedRepository } from '../github.ts'
import { HubError } from '../hub-error.ts'
import { repositoryBundle, repositoryListings } from '../repository-skills.ts'
import type { RepositoryPlace } from '../repository-skills.ts'
import type { SkillListing } from '../bundle.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { allTaps } from '../taps.ts'

/** Repositories on GitHub: those of the taps are listed, any can be named: `owner/name[/folder]`, or a page's address. */
export function gitHubSource(context: SourceContext): SkillSource {
  return {
    name: 'github',
    accepts: (identifier) => placeOf(identifier) !== undefined,
    async list(query, limit, signal) {
      const failures: HubError[] = []
      const lists = await inParallel(
        await allTaps(context.home),
        4,
        async ({ repo, path }): Promise<SkillListing[]> => {
          try {
            return await repositoryListings(context, { repository: repo, path }, signal)
          } catch (error) {
            if (!(error instanceof HubError)) throw error
            failures.push(error)
            return []
          }
        },
      )
      const found = lists.flat()
      // A tap that is gone is no reason to show nothing; a service that takes no requests is one to say so.
      const [grave] = failures.filter(({ code }) => code !== 'not-found')
      if (found.length === 0 && grave) throw grave
      return matching(found, query, limit)
    },
    async fetch(identifier, signal) {
      const place = placeOf(identifier)
      if (!place) throw new HubError('invalid', `"${identifier}" is no skill on GitHub: write owner/name/folder.`)
      return repositoryBundle(context, place, signal)
    },
  }
}

/** What an identifier means, or undefined where it is none of GitHub. */
function placeOf(identifier: string): RepositoryPlace | undefined {
  const page =
    /^https?:\/\/(?:www\.)?github\.com\/([^/]+\/[^/?#]+?)(?:\.git)?(?:\/(?:tree|blob)\/([^/]+)(?:\/([^?#]*))?)?\/?(?:[?#].*)?$/.exec(
      identifier,
    )
  if (page)
    return { repository: checkedRepository(page[1] ?? ''), path: page[3] ?? '', ...(page[2] && { ref: page[2] }) }
  const named = /^(?:github[/:])?([A-Za-z0-9][\w-]*\/[\w.-]+)(?:\/(.+))?$/.exec(identifier)
  if (!named) return undefined
  return { repository: checkedRepository(named[1] ?? ''), path: named[2] ?? '' }
}
