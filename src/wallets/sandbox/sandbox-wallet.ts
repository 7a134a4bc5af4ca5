import type { mongo } from 'mongoose'
import type { Config } from '../../config/config.ts'
import { isDuplicateKey, rawCollection } from '../../mongo/collection.ts'
import { type Transactions, transaction } from '../../mongo/transaction.ts'
import type { Models } from '../../platform/deps.ts'
import type { CheckSlowHash, SlowHash } from '../../security/slow-hash.ts'
import {
  failingPaymentAmount,
  type KnownWalletOutcome,
  type PaymentOrder,
  type RefundOrder,
  type Wallet,
} from '../wallet.ts'
import { newWalletAccount, pinLockStateOf, type WalletAccount, type WalletMovement } from './account.ts'

type SandboxDeps = Pick<Models, 'WalletAccount' | 'WalletMovement'> & {
  config: Pick<Config, 'walletTimeoutMs'>
  transactions: Transactions
  now(): Date
}

export function createSandboxWallet(deps: SandboxDeps & { slowHash: SlowHash }): Wallet {
  const checkPin = deps.slowHash.createCheck()
  let demoPinHash: Promise<string> | undefined
  const hashDemoPin = () =>
    (demoPinHash ??= deps.slowHash.make(demoPin).catch((error: unknown) => {
      demoPinHash = undefined
      throw error
    }))
  const unseen = { accountId: null, amount: null, fee: null }
  return {
    name: 'sandbox',
    authorise: (order) => authorise({ ...deps, checkPin, hashDemoPin }, order),
    refund: (order) => refundTo(deps, order),
    status: ({ key, kind, validUntil }) =>
      decideOrder(deps, { _id: key, kind, ...unseen, validUntil }, async () => notExecuted),
  }
}

const done = { outcome: 'done' } as const
const wrongPin = { outcome: 'refused', reason: 'wrong_pin' } as const
const locked = { outcome: 'refused', reason: 'wallet_locked' } as const
const poor = { outcome: 'declined', reason: 'insufficient_funds' } as const
const failed = { outcome: 'failed', reason: 'technical_error' } as const
const closed = { outcome: 'failed', reason: 'wallet_closed' } as const
const notExecuted = { outcome: 'not-executed' } as const

/** How long we keep orders that transferred no money. */
const keptMs = 30 * 86_400_000

type Undecided = Omit<WalletMovement, 'result' | 'at' | 'forgetAt'> & { validUntil: Date }

/**
 * A status query waits for an open transaction or decides `not-executed`, so a
 * process that was frozen can't carry out the order later.
 */
export function decideOrder(
  deps: SandboxDeps,
  { validUntil, ...order }: Undecided,
  judge: (session: mongo.ClientSession) => Promise<KnownWalletOutcome>,
): Promise<KnownWalletOutcome> {
  const { _id, accountId } = order
  const movements = rawCollection(deps.WalletMovement)
  const documents = accountId === null ? [_id] : [_id, accountId]
  const deadlineAt = performance.now() + deps.config.walletTimeoutMs
  return transaction(deps, { documents, deadlineAt }, async (session) => {
    const earlier = await movements.findOne({ _id }, { session })
    if (earlier !== null) return earlier.result
    const at = deps.now()
    const result = at < validUntil ? await judge(session) : notExecuted
    const forgetAt = new Date(at.getTime() + keptMs)
    const movement = { ...order, result, at, ...(result.outcome === 'done' ? {} : { forgetAt }) }
    await movements.insertOne(movement, { session })
    return result
  })
}

async function authorise(
  deps: SandboxDeps & { checkPin: CheckSlowHash; hashDemoPin(): Promise<string> },
  { key, amount, fee, validUntil, businessId, phone, pin }: PaymentOrder,
): Promise<KnownWalletOutcome> {
  const account = await findWalletAccount(deps, businessId, phone)
  // Hashing is too slow for a transaction, so check the PIN beforehand.
  const isRight = await deps.checkPin(businessId, account?.pinHash ?? null, pin)
  const accountId = account?._id ?? null
  const order = { _id: key, accountId, kind: 'payment', amount, fee, validUntil } as const
  return decideOrder(deps, order, (session) => charge(deps, order, isRight, session))
}

/** `isRight` is null if too many PINs were being checked at once. */
async function charge(
  deps: SandboxDeps,
  { accountId, amount, fee }: { accountId: string | null; amount: number; fee: number },
  isRight: boolean | null,
  session: mongo.ClientSession,
): Promise<KnownWalletOutcome> {
  const accounts = rawCollection(deps.WalletAccount)
  const account = accountId === null ? null : await accounts.findOne({ _id: accountId }, { session })
  if (account === null) return isRight === null ? notExecuted : wrongPin
  const now = deps.now()
  const fixed = demoOutcomeOf(account)
  const { failures, lockEndsAt } = pinLockStateOf(account, now)
  if (fixed?.outcome === 'refused') return fixed
  if (lockEndsAt !== null) return locked
  if (isRight === null) return notExecuted
  const result = isRight ? (fixed ?? affordable(account, amount, fee)) : wrongPin
  const change = {
    $inc: { balance: result.outcome === 'done' ? -(amount + fee) : 0 },
    $set: { wrongPins: { count: isRight ? 0 : failures + 1, lastAt: now } },
  }
  await accounts.updateOne({ _id: account._id }, change, { session })
  return result
}

function affordable({ balance }: WalletAccount, amount: number, fee: number): KnownWalletOutcome {
  if (amount === failingPaymentAmount) return failed
  return balance < amount + fee ? poor : done
}

async function refundTo(deps: SandboxDeps, { key, amount, fee, validUntil, paymentKey }: RefundOrder) {
  const movements = rawCollection(deps.WalletMovement)
  const payment = await movements.findOne({ _id: paymentKey, 'result.outcome': 'done' })
  const _id = payment?.accountId ?? null
  const order = { _id: key, accountId: _id, kind: 'refund', amount, fee, paymentKey, validUntil } as const
  return decideOrder(deps, order, async (session) => {
    if (payment === null || _id === null) return failed
    const earlier = await movements.find({ paymentKey, 'result.outcome': 'done' }, { session }).toArray()
    if (!fits(payment, [...earlier, order])) return failed
    // Two refunds of a payment conflict here, so neither misses the other.
    const update = { $inc: { balance: amount + fee } }
    const { matchedCount } = await rawCollection(deps.WalletAccount).updateOne({ _id }, update, {
      session,
    })
    return matchedCount === 0 ? closed : done
  })
}

type Parts = Pick<WalletMovement, 'amount' | 'fee'>

const fits = (payment: Parts, refunds: readonly Parts[]): boolean =>
  (['amount', 'fee'] as const).every((part) => {
    const sum = refunds.reduce((total, refund) => total + (refund[part] ?? 0), 0)
    return sum <= (payment[part] ?? 0)
  })

type FindDeps = Pick<Models, 'WalletAccount'> & { now(): Date; hashDemoPin(): Promise<string> }

/** A wallet that staff created takes precedence over a demo wallet. */
export async function findWalletAccount(
  deps: FindDeps,
  businessId: string,
  phone: string,
): Promise<WalletAccount | null> {
  const demoId = `${businessId}-${phone}`
  const found = await rawCollection(deps.WalletAccount)
    .find({ _id: { $in: [phone, demoId] } })
    .toArray()
  const made = found.find(({ _id }) => _id === phone) ?? found[0]
  return made ?? (await openDemo(deps, { _id: demoId, businessId, phone }))
}

async function openDemo(
  deps: FindDeps,
  owner: { _id: string; businessId: string; phone: string },
): Promise<WalletAccount | null> {
  const demo = demoWallets[owner.phone]
  if (demo === undefined) return null
  const { pin, balance } = demo
  const pinHash = pin === null ? null : await deps.hashDemoPin()
  const account = newWalletAccount({ ...owner, pinHash, balance }, deps.now())
  try {
    await rawCollection(deps.WalletAccount).insertOne(account)
    return account
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    // Transactions see the other wallet only once a majority of servers has it.
    return findWalletAccount(deps, owner.businessId, owner.phone)
  }
}

export const demoOutcomeOf = ({ businessId, phone }: WalletAccount) =>
  businessId === null ? null : (demoWallets[phone]?.fixedOutcome ?? null)

type FixedOutcome = Extract<KnownWalletOutcome, { outcome: 'refused' | 'declined' | 'failed' }>

interface DemoWallet {
  /** Not a secret. Null if no PIN is correct. */
  pin: string | null
  balance: number
  fixedOutcome: FixedOutcome | null
}

const demoPin = '1234'
/** Enough for nine million of the largest payments. */
const plenty = 9_000_000_000_000_000
const demo = (fixedOutcome: FixedOutcome | null, changes: Partial<DemoWallet> = {}): DemoWallet => {
  return { pin: demoPin, balance: plenty, fixedOutcome, ...changes }
}

/** Every business has these in the sandbox (docs/merchants/testing.md). */
export const demoWallets: Readonly<Record<string, DemoWallet>> = {
  '22000001': demo(null),
  '22000002': demo(null, { pin: null }),
  '22000003': demo(null, { balance: 0 }),
  '22000004': demo(failed),
  '22000005': demo({ outcome: 'declined', reason: 'limit_exceeded' }),
  '22000006': demo(locked),
}
