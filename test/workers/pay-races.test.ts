import { expireIntent } from '../../src/intents/expire.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { outboxEventsOf, outcomeName, pay, simulate, storedIntent } from '../support/pay.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { withSecondProcess, withServiceAndMerchant } from '../support/service.ts'

const createdAt = new Date('2032-01-01T00:00:00Z')
const dayMs = 86_400_000
/** The last millisecond at which a payment may begin. */
const soon = new Date(createdAt.getTime() + dayMs - 1001)

describe('A race for one intent between two payers, the merchant, a simulation and the expiry', () => {
  const { service, merchant } = withServiceAndMerchant()
  const beside = withSecondProcess(service)
  let wallet: ScriptedWallet
  /** The intent has expired for this worker, but not for the API. No real clock skew is this large. */
  let worker: Deps
  beforeEach(() => {
    wallet = scriptedWallet(service, beside)
    worker = { ...beside.deps, now: () => new Date(createdAt.getTime() + dayMs + 60_000) }
    for (const { clock } of [service, beside]) clock.freeze(createdAt)
  })
  const acts = {
    payer: async (reference: string) => outcomeName(await pay(service, reference)),
    other: async (reference: string) => outcomeName(await pay(beside, reference)),
    cancel: async (reference: string) =>
      (await cancelIntent(service, merchant, reference)).status === 200 ? 'done' : 'refused',
    simulation: async (reference: string) =>
      (await simulate(beside, merchant, reference)).status === 200 ? 'done' : 'refused',
    expiry: async (reference: string) => ((await expireIntent(worker, reference)).expired ? 'done' : 'not'),
  }
  type Actor = keyof typeof acts
  async function race(reference: string, first: Actor | null): Promise<Partial<Record<Actor, string>>> {
    for (const { clock } of [service, beside]) clock.freeze(soon)
    const begun = first && { [first]: await acts[first](reference) }
    const others = (Object.keys(acts) as Actor[]).filter((actor) => actor !== first)
    const results = others.map(async (actor) => [actor, await acts[actor](reference)] as const)
    return { ...begun, ...Object.fromEntries(await Promise.all(results)) }
  }
  const paid = { outcome: 'done' } as const
  const failed = { outcome: 'failed', reason: 'technical_error' } as const
  for (const [first, outcome, status, event] of [
    ['payer', paid, 'PAID', 'payment.confirmed'],
    ['payer', failed, 'FAILED', 'payment.failed'],
    ['simulation', paid, 'PAID', 'payment.confirmed'],
    ['cancel', paid, 'CANCELLED', 'payment.cancelled'],
    ['expiry', paid, 'CANCELLED', 'payment.expired'],
  ] as const)
    it(`is won by the first to finish: ${first}, ${event}`, async () => {
      wallet.setOutcome(() => outcome)
      const { referenceNumber } = await createIntent(service, merchant)
      const { [first]: own, ...others } = await race(referenceNumber, first)
      expect([own, Object.values(others)]).to.deep.equal([
        outcome.outcome,
        Object.values(others).filter((result) => result !== 'done'),
      ])
      const intent = await storedIntent(service, referenceNumber)
      expect(intent).to.include({ status, hold: null })
      expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', event])
      expect(wallet.orders).to.have.length(first === 'payer' ? 1 : 0)
    })

  it('has exactly one winner if all begin at once', async () => {
    wallet.setOutcome(() => paid)
    const made = await Promise.all(Array.from({ length: 10 }, () => createIntent(service, merchant)))
    const raced = await Promise.all(made.map(({ referenceNumber }) => race(referenceNumber, null)))
    for (const [index, { referenceNumber }] of made.entries()) {
      expect(Object.values(raced[index] ?? {}).filter((result) => result === 'done')).to.have.length(1)
      expect(outboxEventsOf(await storedIntent(service, referenceNumber))).to.have.length(2)
    }
  })
})
