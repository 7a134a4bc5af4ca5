import type { By } from '../../audit/audit-event.ts'
import { addLine } from '../../audit/audited.ts'
import { findBusinessesByName } from '../../businesses/list-businesses.ts'
import type { Deps } from '../../deps.ts'
import { businessPath } from '../pages/paths.ts'
import { finders, type Hit } from './finders.ts'
import { keyFinders } from './key-finders.ts'

/** The results of one finder. `shown` is the input as the page may show it. */
export interface Group {
  kind: string
  shown: string
  hits: Hit[]
}

/**
 * The groups with results. `isPrivate` is true if the page must not repeat the query, because it is a phone number or
 * contains an API key. If nothing was found, `whyNoHit` may explain why.
 */
export interface Results {
  groups: Group[]
  isPrivate: boolean
  whyNoHit: string | null
}

export const phoneSearches = {
  what: 'Searches by phone number',
  owner: 'member of staff',
  gets: 'the page asks to wait',
  max: 60,
  seconds: 3600,
}

/** A search by name requires at least this many characters, because a single letter occurs in too many names. */
export const minPartLength = 2

/**
 * Runs all finders that accept the query. If they find nothing, searches for businesses by name, except if the query
 * is private, because MongoDB logs the text of slow queries. Searches that must be audited are audited before
 * this function returns, so that no one can see results that the audit trail does not mention. Returns only how long to
 * wait if the person has made too many of them.
 */
export async function runFinders(deps: Deps, query: string, by: By): Promise<Results | { waitMs: number }> {
  const accepted = [...finders, ...keyFinders].flatMap((finder) => {
    const input = finder.read(query)
    return input === null ? [] : [{ finder, input }]
  })
  if (accepted.some(({ finder }) => finder.audited !== undefined)) {
    const [waitMs = 0] = await deps.counters.take([{ id: `phone-search ${by.actor.name}`, ...phoneSearches }])
    if (waitMs > 0) return { waitMs }
  }
  const groups = await Promise.all(
    accepted.map(async ({ finder, input }): Promise<Group> => {
      const hits = await finder.find(deps, input)
      const shown = finder.shown?.(input) ?? input
      if (finder.audited !== undefined)
        await addLine(deps, by, {
          act: finder.audited,
          subject: shown,
          businessId: null,
          after: { found: hits.length },
        })
      return { kind: finder.kind, shown, hits }
    }),
  )
  const isPrivate = groups.some(({ shown }, index) => shown !== accepted[index]?.input)
  const found = groups.filter(({ hits }) => hits.length > 0)
  const [whyNoHit = null] = accepted.flatMap(({ finder, input }) => finder.whyNoHit?.(input) ?? [])
  return { groups: found.length > 0 || isPrivate ? found : await byName(deps, query), isPrivate, whyNoHit }
}

async function byName(deps: Deps, query: string): Promise<Group[]> {
  if (query.length < minPartLength || !query.isWellFormed() || query.includes('\0')) return []
  const businesses = await findBusinessesByName(deps, query)
  if (businesses.length === 0) return []
  const hits = businesses.map(({ _id, name }) => ({ path: businessPath(_id), name, intent: null }))
  return [{ kind: 'name of a business', shown: query, hits }]
}
