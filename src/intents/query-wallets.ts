import type { Deps } from '../deps.ts'
import type { WithinDeadline } from '../idempotency/effect.ts'
import { noHurry } from '../mongo/batching/batcher.ts'
import type { Cause } from '../outbox/event.ts'
import { firstQueryAt } from '../wallets/order-times.ts'
import { outcomeOf } from '../wallets/query.ts'
import type { WalletOutcome } from '../wallets/wallet.ts'
import type { Intent } from './intent.ts'
import { findOpen, type OpenOrder } from './open-order.ts'
import { enqueueWalletOutcome } from './wallet-outcome-job.ts'

/** Asked again after a quarter of the time that it has been unknown for, within these. */
const soonestMs = 1000
const latestMs = 60_000

/**
 * The result of asking. `nothing-to-ask`: the payment or refund has ended. `put-off`: this process already asks about as many orders of the
 * business as it may. `nextAt`: when to ask again, if it was too early or put off, or if the outcome is unknown (`why`).
 */
export interface AskOutcome {
  outcome: WalletOutcome['outcome'] | 'nothing-to-ask' | 'not-due' | 'put-off'
  why: string | null
  nextAt: Date | null
}

/**
 * Asks the wallet for the outcome of the payment or refund of this key, if it is time, and ends it when the outcome is known. Run
 * twice, or in two processes at once, it ends once.
 */
export async function askWallet(deps: Deps, intentId: string, key: string): Promise<AskOutcome> {
  const open = await readOpen(deps, intentId, key)
  if (open === null) return nothingToAsk
  const free = deps.walletQuerySlots.takeNow(open.intent.businessId)
  if (free === null) return { outcome: 'put-off', why: null, nextAt: putOffUntil(deps, open.since) }
  return askAbout(deps, open, aWorker).finally(free)
}

/** As `askWallet`, for a caller that holds a question slot of the business. */
export async function askWithSlot(deps: Deps, intentId: string, key: string): Promise<AskOutcome> {
  const open = await readOpen(deps, intentId, key)
  return open === null ? nothingToAsk : askAbout(deps, open, aWorker)
}

async function readOpen(deps: Deps, intentId: string, key: string): Promise<OpenOrder | null> {
  const intent = await deps.Intent.findById(intentId).lean<Intent | null>()
  return intent === null ? null : findOpen(deps, intent, key)
}

const nothingToAsk = { outcome: 'nothing-to-ask', why: null, nextAt: null } as const

/** Who asks: a request, or a job (null), and how it waits on MongoDB. */
export interface Asker {
  cause: Cause | null
  withinDeadline: WithinDeadline
}

/** A worker waits for MongoDB as long as MongoDB takes. */
const aWorker: Asker = { cause: null, withinDeadline: (work) => work(noHurry) }

/** As `askWallet`, about one that was just read. */
export async function askAbout(
  deps: Deps,
  open: OpenOrder,
  { cause, withinDeadline }: Asker,
): Promise<AskOutcome> {
  if (open.askAt > deps.now()) return { outcome: 'not-due', why: null, nextAt: open.askAt }
  const outcome = await ask(deps, open)
  if (outcome.outcome !== 'unknown') {
    await withinDeadline(() => open.settle(outcome, cause))
    return { outcome: outcome.outcome, why: null, nextAt: null }
  }
  const nextAt = nextAsk(deps, open.since)
  await withinDeadline(() => open.askAgainAt(nextAt))
  return { outcome: 'unknown', why: outcome.why, nextAt }
}

/** A wallet is asked under its own name only: another one never had the order, and would say so. */
async function ask(deps: Deps, { wallet: name, question }: OpenOrder): Promise<WalletOutcome> {
  const wallet = deps.wallets.named(name)
  if (wallet === null) return { outcome: 'unknown', why: 'not configured' }
  return outcomeOf(deps, name, () => wallet.status(question))
}

function nextAsk(deps: Pick<Deps, 'now'>, since: Date): Date {
  const now = deps.now().getTime()
  const waitMs = Math.min(latestMs, Math.max(soonestMs, (now - since.getTime()) / 4))
  return new Date(now + waitMs)
}

/** Any instant up to the next question. So orders that became due together, such as those of an outage, come back one by one. */
function putOffUntil(deps: Pick<Deps, 'now'>, since: Date): Date {
  const now = deps.now().getTime()
  const waitMs = nextAsk(deps, since).getTime() - now
  return new Date(now + soonestMs + Math.random() * (waitMs - soonestMs))
}

/**
 * Leaves to the workers what a wallet did not tell just now. Whoever waits hears the same, noted or not: an instant at which to ask is
 * there since it began, and a poll knows it.
 */
export async function leaveOpen(deps: Deps, open: OpenOrder, withinDeadline: WithinDeadline): Promise<void> {
  const at = firstQueryAt(deps.now())
  await withinDeadline(() => open.askAgainAt(at)).then(
    () => enqueueWalletOutcome(deps, open.intent, open.question.key, at),
    () => undefined,
  )
}
