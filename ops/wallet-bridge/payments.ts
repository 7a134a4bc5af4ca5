import { createHash, createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Entry, FinalState, Journal, Settler } from './journal.ts'
import type { openWalletApi, WalletResult } from './wallet-api.ts'

type Texts = 'key' | 'currency' | 'phone' | 'pin' | 'reference' | 'businessId' | 'validUntil'
export type PaymentRequest = Record<Texts, string> & Record<'amount' | 'fee', number>

type Wallet = ReturnType<typeof openWalletApi>
type Outcome = [state: FinalState, reason: string | null]
export type Log = (event: string, fields: object) => void

/** After this many wrong PINs in a row, the bridge blocks the payer's wallet. */
const maxWrongPins = 3
const lockedForMs = 24 * 3_600_000
/** Payments of one wallet that wait for each other, so that PINs are counted one by one. */
const maxWaiting = 20
/** How long to keep asking the wallet after an operator has decided. */
const doubtedForMs = 7 * 24 * 3_600_000
const checkWaitMs = { first: 500, last: 30_000 }

/** Your wallet's codes. An unknown one counts as declined. */
const outcomes: Record<string, Outcome> = {
  BAD_PASSCODE: ['refused', 'wrong_pin'],
  NO_SUCH_ACCOUNT: ['refused', 'wrong_pin'],
  ACCOUNT_BLOCKED: ['refused', 'wallet_locked'],
  LOW_BALANCE: ['declined', 'insufficient_funds'],
  OVER_LIMIT: ['declined', 'limit_exceeded'],
  ACCOUNT_CLOSED: ['failed', 'wallet_closed'],
  SYSTEM_ERROR: ['failed', 'technical_error'],
}
const declined: Outcome = ['declined', 'declined']

/** From the key alone, so that a check finds the payment after a crash. */
const operationOf = (key: string): string =>
  createHash('sha256').update(`payment ${key}`).digest('hex').slice(0, 32)

/** `journalKey` hides phone numbers in the journal. The PIN stays out of it in any form. */
export function openPayments(journal: Journal, wallet: Wallet, journalKey: string, log: Log) {
  const queues = new Map<string, { waiting: number; last: Promise<unknown> }>()
  const hash = (text: string): string => createHmac('sha256', journalKey).update(text).digest('hex')

  function settle({ key, operation }: Entry, [state, reason]: Outcome, by: Settler, code?: string): true {
    const isFirst = journal.settle(key, state, reason, by)
    const before = journal.find(key)?.state
    const isContradiction = (before === 'succeeded') !== (state === 'succeeded')
    const event = isFirst ? 'settled' : isContradiction ? 'contradicted' : 'settled-before'
    log(`payment.${event}`, { key, operation, state, reason, by, code, ...(isFirst ? {} : { before }) })
    return true
  }

  /** Returns whether the payment is settled. `cannotArriveLater`: the wallet has refused it. */
  function apply(entry: Entry, { state, code }: WalletResult, cannotArriveLater: boolean): boolean {
    if (state === 'done') return settle(entry, ['succeeded', null], 'wallet')
    if (state === 'failed') return settle(entry, outcomes[code ?? ''] ?? declined, 'wallet', code)
    if (state === 'absent' && cannotArriveLater) return settle(entry, declined, 'wallet')
    if (state === 'waiting') journal.advance(entry.key, state)
    return false
  }

  /** Runs until the outcome is known. If an operator decides, it goes on for a while. */
  async function follow(entry: Entry, cannotArriveLater: boolean): Promise<void> {
    for (let waitMs = checkWaitMs.first; ; waitMs = Math.min(waitMs * 2, checkWaitMs.last)) {
      await pause(waitMs)
      const { settledBy, changedAt } = journal.find(entry.key) as Entry
      if (settledBy === 'wallet' || (settledBy !== null && changedAt < Date.now() - doubtedForMs)) return
      if (apply(entry, await wallet.check(entry.operation), cannotArriveLater)) return
    }
  }

  async function carryOut(entry: Entry, request: PaymentRequest): Promise<void> {
    const { phone, pin: passcode, amount, fee, reference: note } = request
    const { wrong, unknown } = journal.countPins(entry.payer, Date.now() - lockedForMs)
    if (wrong + unknown >= maxWrongPins)
      return void settle(entry, wrong >= maxWrongPins ? ['refused', 'wallet_locked'] : declined, 'bridge')
    const bearer = await wallet
      .currentToken()
      .catch((error) => log('wallet.no-session', { error: String(error) }))
    const isLate = Date.now() > Date.parse(request.validUntil)
    if (!bearer || isLate) return void settle(entry, declined, 'bridge')
    // An operator may have decided already.
    if (!journal.advance(entry.key, 'sending')) return
    const { operation: id } = entry
    const result = await wallet.pay(bearer, { id, phone, passcode, amount: amount + fee, note })
    const cannotArriveLater = result.state === 'rejected'
    if (!apply(entry, result, cannotArriveLater)) void follow(entry, cannotArriveLater)
  }

  function enqueue(entry: Entry, request: PaymentRequest): Promise<unknown> {
    const queue = queues.get(entry.payer) ?? { waiting: 0, last: Promise.resolve() }
    queues.set(entry.payer, queue)
    if (queue.waiting >= maxWaiting) return Promise.resolve(settle(entry, declined, 'bridge'))
    queue.waiting += 1
    queue.last = queue.last
      .then(() => carryOut(entry, request))
      // Without its journal the process must end. The next one resumes.
      .catch((error) =>
        setImmediate(() => {
          throw error
        }),
      )
      .finally(() => {
        queue.waiting -= 1
        if (queue.waiting === 0) queues.delete(entry.payer)
      })
    return queue.last
  }

  return {
    /** If the journal was lost or restored, the wallet may have a payment that it lacks. */
    isAbsent: async (key: string) => (await wallet.check(operationOf(key))).state === 'absent',

    /** Resumes the payments that a crashed process left open. */
    resume(): void {
      for (const entry of journal.open())
        if (entry.state === 'received') settle(entry, declined, 'bridge')
        else void follow(entry, false)
      for (const entry of journal.decidedSince(Date.now() - doubtedForMs)) void follow(entry, false)
    },

    /** Waits for the outcome, but no longer than `waitMs`. */
    async receive(request: PaymentRequest, waitMs: number): Promise<Entry | 'expired' | 'other body'> {
      const { key, amount, fee, phone, reference, businessId, validUntil } = request
      const body = hash(JSON.stringify([key, amount, fee, phone, reference, businessId, validUntil]))
      const known = journal.find(key)
      if (known !== null) return known.request === body ? known : 'other body'
      if (Date.now() > Date.parse(validUntil)) return 'expired'
      journal.add({ key, operation: operationOf(key), payer: hash(phone), request: body, amount, fee })
      const entry = journal.find(key) as Entry
      await Promise.race([enqueue(entry, request), pause(waitMs)])
      return journal.find(key) as Entry
    },
  }
}
