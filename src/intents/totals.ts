import type { Model } from 'mongoose'
import type { Status } from '../../schemas/list-intents.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { type Span, within } from '../span.ts'
import { countTallied } from '../tallies/count.ts'
import { count } from '../tallies/count-on.ts'
import { type Countable, type Listed, testsKeptFrom, writtenBefore } from '../tallies/tally.ts'
import { moves } from './lifecycle.ts'

type Counting = Pick<Deps, 'Intent' | 'tallies' | 'now' | 'config'>
type Whose = Pick<Caller, 'businessId' | 'sandbox'>

/** All intents of a business and environment. */
export function allOf(deps: Counting, { businessId, sandbox }: Whose): Countable {
  const now = deps.now()
  return {
    key: `intents ${businessId} ${sandbox}`,
    model: deps.Intent as unknown as Model<Listed>,
    index: 'byTime',
    where: { businessId, sandbox },
    keptFrom: sandbox ? testsKeptFrom(now, deps.config.sandboxRetentionMs) : null,
    settledBefore: async () => writtenBefore(now),
  }
}

/**
 * Those in any of these statuses, which no intent leaves for one that is not among them. Settled is what is older than the oldest that is
 * still PENDING.
 */
function endedIn(deps: Counting, whose: Whose, statuses: Status[]): Countable {
  const all = allOf(deps, whose)
  return {
    ...all,
    key: `${all.key} ${statuses.join()}`,
    index: 'byStatus',
    where: { ...all.where, status: { $in: statuses } },
    async settledBefore() {
      const [written, pending] = [await all.settledBefore(), await oldestPending(deps, whose)]
      return pending !== null && pending < written ? pending : written
    },
  }
}

async function oldestPending(
  { Intent }: Pick<Deps, 'Intent'>,
  { businessId, sandbox }: Whose,
): Promise<Date | null> {
  const oldest = await Intent.findOne(
    { businessId, sandbox, status: { $in: moves.expire.from } },
    { _id: 0, createdAt: 1 },
  )
    .hint('byStatus')
    .sort({ createdAt: 1 })
    .lean<{ createdAt: Date } | null>()
  return oldest?.createdAt ?? null
}

type Total = (deps: Counting, whose: Whose, span: Span) => Promise<number>

/** How many intents of a span have a status, as a reader sees it: those whose time is up are CANCELLED, written down or not. */
export const totals: Record<Status, Total> = {
  async PENDING(deps, whose, span) {
    const [written, overdue] = await Promise.all([
      countNow(deps, whose, span, 'PENDING'),
      countOverdue(deps, whose, span),
    ])
    return Math.max(0, written - overdue)
  },
  async CANCELLED(deps, whose, span) {
    const [written, overdue] = await Promise.all([
      countEnded(deps, whose, span, ['CANCELLED']),
      countOverdue(deps, whose, span),
    ])
    return written + overdue
  },
  FAILED: (deps, whose, span) => countEnded(deps, whose, span, ['FAILED']),
  REFUNDED: (deps, whose, span) => countNow(deps, whose, span, 'REFUNDED'),
  // However old it is, what is PAID may be refunded; together they only grow.
  async PAID(deps, whose, span) {
    const [both, refunded] = await Promise.all([
      countEnded(deps, whose, span, ['PAID', 'REFUNDED']),
      countNow(deps, whose, span, 'REFUNDED'),
    ])
    return Math.max(0, both - refunded)
  },
}

const countEnded = async (deps: Counting, whose: Whose, span: Span, statuses: Status[]): Promise<number> =>
  (await countTallied(deps, endedIn(deps, whose, statuses), span)).total

const countNow = (
  deps: Counting,
  { businessId, sandbox }: Whose,
  span: Span,
  status: Status,
): Promise<number> =>
  count(
    {
      model: deps.Intent as unknown as Model<Listed>,
      index: 'byStatus',
      where: { businessId, sandbox, status },
    },
    (within('createdAt', span).createdAt ?? {}) as Record<string, Date>,
  )

/** Those whose time is up and that nobody wrote down yet: few of all businesses, for sweeps come by every 15 s. */
const countOverdue = (
  { Intent, now }: Pick<Deps, 'Intent' | 'now'>,
  { businessId, sandbox }: Whose,
  span: Span,
): Promise<number> =>
  Intent.countDocuments(
    {
      businessId,
      sandbox,
      status: { $in: moves.expire.from },
      ...moves.expire.guard(now()),
      ...within('createdAt', span),
    },
    { hint: 'expiring' },
  )
