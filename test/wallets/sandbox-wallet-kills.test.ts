import { expect } from 'chai'
import { finishMovements } from '../../src/wallets/sandbox/finish.ts'
import type { KnownOutcome, PaymentOrder, RefundOrder, Wallet } from '../../src/wallets/wallet.ts'
import { finishLeftovers } from '../../workers/run/poll.ts'
import { killAtEveryStep, landDuringRetry } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import type { Victim } from '../support/victim.ts'
import { customersOf } from './customers.ts'

interface Case {
  phone: string
  kind: 'payment' | 'refund'
  order: PaymentOrder | RefundOrder
  /** Centimes before the order. */
  balance: number
  outcomes: KnownOutcome[]
}

describe('A sandbox wallet whose process is killed at any step', function () {
  this.timeout(60_000)
  const service = withService()
  let customers: ReturnType<typeof customersOf>
  before(() => {
    customers = customersOf(service)
  })

  const walletOf = (victim: Victim) => victim.deps.wallets.forPayments(true) as Wallet
  /** Uses the victim's clock, which may be behind. */
  const freshDeadline = (victim: Victim) => ({ validUntil: new Date(victim.deps.now().getTime() + 10_000) })

  const operation = (prepare: () => Promise<Case>, seen: Set<string>) => ({
    prepare,
    async run(victim: Victim, { kind, order, outcomes }: Case) {
      const wallet = walletOf(victim)
      const sent = { ...order, ...freshDeadline(victim) }
      const outcome =
        kind === 'payment' ? await wallet.authorise(sent as PaymentOrder) : await wallet.refund(sent as RefundOrder)
      outcomes.push(outcome as KnownOutcome)
    },
    async repeat({ kind, order, outcomes }: Case) {
      outcomes.push((await customers.queryStatus(kind, order.key)) as KnownOutcome)
      await finishMovements(service.deps)
    },
    /** Every call returned the same outcome, and the balance agrees with it. */
    async check({ phone, kind, order, balance, outcomes }: Case, label: string) {
      const [outcome = '', ...others] = new Set(outcomes.map((each) => each.outcome))
      expect(others, label).to.deep.equal([])
      seen.add(outcome)
      const moved = outcome === 'done' ? order.amount : 0
      const account = await customers.accountOf(phone)
      const expected = kind === 'payment' ? balance - moved : balance + moved
      expect(account, label).to.include({ balance: expected, current: null })
      expect(await service.deps.WalletMovement.countDocuments({ _id: order.key }), label).to.equal(1)
      expect(account.pinAttempts.taken, label).to.be.within(0, 1)
    },
  })

  async function payment(): Promise<Case> {
    const phone = await customers.customer(1000)
    const order = customers.order({ phone, amount: 700 })
    return { phone, kind: 'payment', order, balance: 1000, outcomes: [] }
  }

  async function refund(): Promise<Case> {
    const phone = await customers.customer(1000)
    const paid = customers.order({ phone, amount: 700 })
    await customers.wallet.authorise(paid)
    return { phone, kind: 'refund', order: customers.refundOf(paid.key, 450), balance: 300, outcomes: [] }
  }

  /** Stores what a process leaves that dies between the debit and the ledger. */
  async function abandon(phone: string, key: string) {
    const order = { key, kind: 'payment', amount: 700, paymentKey: key }
    const current = { ...order, nonce: 'n', since: service.clock.now() }
    await service.deps.WalletAccount.updateOne({ _id: phone }, { $set: { current }, $inc: { balance: -700 } })
  }

  it('keeps its balance consistent, and gives each payment a single outcome', async () => {
    const seen = new Set<string>()
    const killed = operation(payment, seen)
    const steps = await killAtEveryStep(service, killed, 0)
    const names = ['find', 'findAndModify', 'update', 'update', 'insert', 'update']
    expect(steps).to.deep.equal(names.map((name) => `mongodb ${name}`))
    expect([...seen]).to.have.members(['done', 'not-executed'])
    await landDuringRetry(service, killed, 4)
  })

  it('keeps its balance consistent, and gives each refund a single outcome', async () => {
    const seen = new Set<string>()
    const killed = operation(refund, seen)
    const steps = await killAtEveryStep(service, killed, 0)
    expect(steps.slice(0, 2)).to.deep.equal(['mongodb find', 'mongodb update'])
    expect(steps.slice(-2)).to.deep.equal(['mongodb insert', 'mongodb update'])
    expect([...seen]).to.have.members(['done', 'not-executed'])
    await landDuringRetry(service, killed, 2)
  })

  it('has its unfinished movement completed by the next poll', async () => {
    const { phone, order } = await payment()
    await abandon(phone, order.key)
    expect(await finishLeftovers(service.deps)).to.equal(0)
    service.clock.advance(5000)
    expect(await finishLeftovers(service.deps)).to.equal(1)
    expect(await customers.accountOf(phone)).to.include({ balance: 300, current: null })
    expect(await customers.queryStatus('payment', order.key)).to.deep.equal({ outcome: 'done' })
  })

  it('can be used immediately for the next payment, which first completes the unfinished movement', async () => {
    const { phone, order } = await payment()
    await abandon(phone, order.key)
    expect(await customers.pay({ phone, amount: 301 })).to.include({ outcome: 'declined' })
    expect(await customers.pay({ phone, amount: 300 })).to.deep.equal({ outcome: 'done' })
    expect(await customers.queryStatus('payment', order.key)).to.deep.equal({ outcome: 'done' })
  })
})
