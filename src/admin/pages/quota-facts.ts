import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import type { QuotaUsage, Usages } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { groupDigits } from './words.ts'

/** Returns a business's limits and quotas as HTML, with the current usage. */
export function quotaFacts({ config }: Pick<Deps, 'config'>, { limits }: Business, usages: Usages): string {
  const perSecond = config.rateLimitPerSecond && (limits.perSecond ?? config.rateLimitPerSecond)
  const rate = perSecond === null ? 'no limit' : `${groupDigits(perSecond)} requests per second for each key`
  return html`<dt>Rate</dt><dd>${rate}${ofItsOwn(limits.perSecond)}</dd>
    <dt>Live payment codes</dt><dd>${left(usages.liveCodes)}${ofItsOwn(limits.liveCodes)}</dd>
    <dt>Created in the sandbox today</dt><dd>${left(usages.sandboxToday)}${ofItsOwn(limits.sandboxIntentsPerDay)}</dd>
    <dt>Live documents stored today</dt><dd>${left(usages.liveDocumentsToday)}${ofItsOwn(limits.liveDocumentsPerDay)}</dd>
    <dt>Live bytes stored today</dt><dd>${left(usages.liveBytesToday)}${ofItsOwn(limits.liveBytesPerDay)}</dd>
    <dt>Sandbox bytes stored today</dt><dd>${left(usages.sandboxBytesToday)}${ofItsOwn(limits.sandboxBytesPerDay)}</dd>`
}

function left({ used, limit, left: rest }: QuotaUsage): string {
  if (limit === null) return 'no limit'
  const known = used === null ? 'more than can be counted' : groupDigits(used)
  return `${known} of ${groupDigits(limit)} used${rest === null ? '' : `, ${groupDigits(rest)} left`}`
}

const ofItsOwn = (limit: number | null): string => (limit === null ? '' : ' (set for this business)')
