import { expect } from 'chai'
import type { KnownOutcome, PaymentOrder, RefundOrder, Wallet } from '../../src/wallets/wallet.ts'
import { closeInBackground } from '../support/closing.ts'
import { killAtEveryStep, landDuringRetry, waitForDeath } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import { behindMs, openVictim, type Victim } from '../support/victim.ts'
import { customersOf, done } from './customers.ts'

interface Case {
  phone: string
  kind: 'payment' | 'refund'
  order: PaymentOrder | RefundOrder
  /** In centimes, before the order. */
  balance: number
  outcomes: KnownOutcome[]
}

describe('A sandbox wallet whose process is killed at any step', function () {
  this.timeout(120_000)
  const service = withService()
  let customers: ReturnType<typeof customersOf>
  before(() => {
    customers = customersOf(service)
  })

  /** The deadline is by the victim's clock, which may be behind. */
  const send = (victim: Victim, { kind, order }: Case) => {
    const wallet = victim.deps.wallets.forPayments(true) as Wallet
    const sent = { ...order, validUntil: new Date(victim.deps.now().getTime() + 10_000) }
    return kind === 'payment' ? wallet.authorise(sent as PaymentOrder) : wallet.refund(sent as RefundOrder)
  }

  const operation = (prepare: () => Promise<Case>, seen: Set<string>) => ({
    prepare,
    async run(victim: Victim, each: Case) {
      each.outcomes.push((await send(victim, each)) as KnownOutcome)
    },
    async repeat({ kind, order, outcomes }: Case) {
      outcomes.push((await customers.queryStatus(kind, order.key)) as KnownOutcome)
    },
    /** Every call returned the same outcome, and the balance and the wrong PINs agree with it. */
    async check({ phone, kind, order, balance, outcomes }: Case, label: string) {
      const [outcome = '', ...others] = new Set(outcomes.map((each) => each.outcome))
      expect(others, label).to.deep.equal([])
      seen.add(outcome)
      const moved = outcome === 'done' ? order.amount : 0
      const account = await customers.accountOf(phone)
      expect(account.balance, label).to.equal(kind === 'payment' ? balance - moved : balance + moved)
      expect(account.wrongPins.count, label).to.equal(outcome === 'refused' ? 1 : 0)
      expect(await service.deps.WalletMovement.countDocuments({ _id: order.key }), label).to.equal(1)
    },
  })

  async function payment(changes: Partial<PaymentOrder> = {}): Promise<Case> {
    const phone = await customers.customer(1000)
    const order = customers.order({ phone, amount: 700, ...changes })
    return { phone, kind: 'payment', order, balance: 1000, outcomes: [] }
  }

  async function refund(): Promise<Case> {
    const phone = await customers.customer(1000)
    const paid = customers.order({ phone, amount: 700 })
    await customers.wallet.authorise(paid)
    return { phone, kind: 'refund', order: customers.refundOf(paid.key, 450), balance: 300, outcomes: [] }
  }

  for (const [what, prepare, outcome] of [
    ['payment', () => payment(), 'done'],
    ['wrong PIN', () => payment({ pin: '0000' }), 'refused'],
    ['refund', refund, 'done'],
  ] as const)
    it(`ends up with a single outcome and a matching balance (${what})`, async () => {
      const seen = new Set<string>()
      const killed = operation(prepare, seen)
      const steps = await killAtEveryStep(service, killed, 0)
      expect([...seen]).to.have.members([outcome, 'not-executed'])
      await landDuringRetry(service, killed, steps.indexOf('mongodb update') + 1)
    })

  for (const [what, prepare] of [
    ['payment', () => payment()],
    ['refund', refund],
  ] as const)
    it(`waits for the commit of a ${what} in progress, then returns its outcome`, async () => {
      const each = await prepare()
      const victim = await openVictim(service, { step: 6, fate: 'late', lateMs: behindMs })
      const running = send(victim, each)
      await waitForDeath(victim, running, { step: 6, label: 'before the commit' })
      expect(victim.steps.at(-1)).to.equal('mongodb commitTransaction')
      const { kind, order, phone } = each
      const queried = [customers.queryStatus(kind, order.key), send({ ...victim, deps: service.deps }, each)]
      await victim.release()
      expect(await Promise.all(queried)).to.deep.equal([done, done])
      expect(await customers.balanceOf(phone)).to.equal(kind === 'payment' ? 300 : 750)
      closeInBackground(
        victim.close(),
        running.catch(() => undefined),
      )
    })
})
