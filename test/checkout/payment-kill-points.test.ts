import type { Caller } from '../../src/businesses/caller.ts'
import type { WriteRequest } from '../../src/idempotency/request.ts'
import { findEffectByKey } from '../../src/intents/effect.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { simulatePayment } from '../../src/intents/payments/simulate.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { refundIntent } from '../../src/intents/refunds/refund.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { demoWallets } from '../../src/wallets/sandbox/sandbox-wallet.ts'
import type { Wallet } from '../../src/wallets/wallet.ts'
import { createIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { outboxEventsOf, pay, storedIntent } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { type Merchant, withService } from '../support/service.ts'
import type { Victim } from '../support/victim.ts'
import { waitRarely } from '../support/wait-for.ts'
import { finished, newRequest } from '../support/write-request.ts'

const dayMs = 86_400_000

/** `paymentId` is also the id of the customer's form. */
type Case = { merchant: Merchant; referenceNumber: string; paymentId: string }

describe('If a process is killed between any two steps of a payment or refund, the service', function () {
  this.timeout(120_000)
  // An order is valid for 10 s, so it has expired when another process continues after 12 s.
  const service = withService({ WALLET_PROVIDER_TIMEOUT_SECONDS: '5' })
  let sandbox: Wallet
  before(() => void (sandbox = service.deps.wallets.forPayments(true) ?? expect.fail()))
  const kill = <C>(operation: Operation<C>, waitMs = 0) => killAtEveryStep(service, operation, waitMs)
  const land = <C>(operation: Operation<C>, step: number) => landDuringRetry(service, operation, step)
  async function prepare(): Promise<Case> {
    const merchant = await service.merchant()
    const { referenceNumber } = await createIntent(service, merchant)
    return { merchant, referenceNumber, paymentId: newId() }
  }
  async function preparePaid(): Promise<Case> {
    const each = await prepare()
    expect(await pay(service, each.referenceNumber, each)).to.include({ state: 'settled' })
    return each
  }
  /** What workers do after a process has died. MongoDB may keep its transaction open for a while. */
  const workThrough = ({ referenceNumber }: Case) =>
    waitRarely('the wallet knows the outcome', async () => {
      const { _id, hold, refunds } = await storedIntent(service, referenceNumber)
      const open = refunds.filter(({ status }) => status === 'PENDING').map(({ id }) => id)
      const keys = hold === null ? open : [hold.id]
      for (const key of keys) await queryWallet(service.deps, _id, key)
      return keys.length === 0
    })
  async function expectBooks({ merchant, referenceNumber }: Case, label: string): Promise<Intent> {
    const intent = await storedIntent(service, referenceNumber)
    const { payment, refunds, refundsCommitted, feesReturned, hold } = intent
    expect([hold, refunds.filter(({ status }) => status === 'PENDING')], label).to.deep.equal([null, []])
    const keys = payment === null ? [] : [payment.key, ...refunds.map(({ id }) => id)]
    const businessId = { $regex: `^${merchant.businessId}-` }
    const done = { accountId: businessId, 'result.outcome': 'done' } as const
    const moved = (await service.deps.WalletMovement.find(done).lean()).map(({ _id }) => _id)
    expect(moved, label).to.have.members(payment?.wallet === 'sandbox' ? keys : [])
    const lost = (await service.deps.WalletAccount.find({ _id: businessId }).lean()).reduce(
      (sum, { phone, balance }) => sum + (demoWallets[phone]?.balance ?? 0) - balance,
      0,
    )
    const gained =
      payment?.wallet === 'sandbox'
        ? payment.amountPaid + payment.commission.payerTtc - refundsCommitted - feesReturned.payerTtc
        : 0
    expect(lost, label).to.equal(gained)
    return intent
  }
  const settling = ['mongodb commitTransaction', 'mongodb update', 'enqueue outbox-relay']
  /** The customer submits the form, or a new one if it's void and the page says that nothing was paid. */
  const paying: Operation<Case> = {
    prepare,
    run: (victim, each) => pay(victim, each.referenceNumber, { paymentId: each.paymentId }),
    async repeat(each) {
      await pay(service, each.referenceNumber, { paymentId: each.paymentId })
      await waitRarely('the intent is paid', async () => {
        await workThrough(each)
        if ((await storedIntent(service, each.referenceNumber)).status === 'PAID') return true
        await pay(service, each.referenceNumber)
        return false
      })
    },
    async check(each, label) {
      const intent = await expectBooks(each, label)
      expect(intent.status, label).to.equal('PAID')
      expect(outboxEventsOf(intent), label).to.deep.equal(['payment.created', 'payment.confirmed'])
    },
  }

  it('takes the money exactly once and marks the intent PAID exactly once', async () => {
    const steps = await kill(paying)
    expect(steps).to.include.members(settling)
    await land(paying, steps.indexOf('mongodb update') + 1)
  })

  for (const [what, form, outcome, failures] of [
    ['a payment that is declined', { phone: '22000003' }, 'declined', ['payment.failed']],
    ['a payment with a wrong PIN', { pin: '9999' }, 'refused', []],
  ] as const)
    it(`takes no money and adds at most one event for ${what}`, async () => {
      const steps = await kill<Case>({
        prepare,
        run: (victim, each) => pay(victim, each.referenceNumber, { ...form, paymentId: each.paymentId }),
        async repeat(each) {
          await pay(service, each.referenceNumber, { ...form, paymentId: each.paymentId })
          await workThrough(each)
        },
        async check(each, label) {
          const intent = await expectBooks(each, label)
          expect(intent.status, label).to.equal('PENDING')
          // The process may have died before the wallet got the order.
          const outcomes = intent.attempts.map((attempt) => attempt.outcome)
          expect(outcomes, label).to.have.length(1)
          expect(outcomes[0], label).to.be.oneOf([outcome, 'not-executed'])
          const phone = 'phone' in form ? form.phone : '22000001'
          const account = await service.deps.WalletAccount.findById(
            `${each.merchant.businessId}-${phone}`,
          ).lean()
          expect(account?.wrongPins.count ?? 0, label).to.equal(outcomes[0] === 'refused' ? 1 : 0)
          const events = outcomes[0] === outcome ? failures : []
          expect(outboxEventsOf(intent), label).to.deep.equal(['payment.created', ...events])
        },
      })
      expect(steps).to.include.members(['mongodb insert', 'mongodb commitTransaction', 'mongodb update'])
    })

  it('adds any failure event before the expiry event, even if the payment is declined after the expiry time', async () => {
    const declined = { outcome: 'declined', reason: 'limit_exceeded' } as const
    scriptedWallet(service).setStatus(declined)
    const declining: Operation<Case> = {
      prepare,
      async run(victim, { referenceNumber, paymentId }) {
        const { createdAt, expiresAt } = await storedIntent(service, referenceNumber)
        victim.deps.now = () => new Date(createdAt.getTime() + 1000)
        scriptedWallet(victim).setOutcome(() => {
          victim.deps.now = () => new Date(expiresAt.getTime() + 1000)
          return declined
        })
        return pay(victim, referenceNumber, { paymentId })
      },
      async repeat(each) {
        await workThrough(each)
        await expireIntent(service.deps, each.referenceNumber)
      },
      async check({ referenceNumber }, label) {
        const intent = await storedIntent(service, referenceNumber)
        expect([intent.status, intent.hold], label).to.deep.equal(['CANCELLED', null])
        const failures = intent.attempts.map(() => 'payment.failed')
        const events = ['payment.created', ...failures, 'payment.expired']
        expect(outboxEventsOf(intent), label).to.deep.equal(events)
        expect(failures.length, label).to.be.at.most(1)
      },
    }
    const steps = await kill(declining, dayMs)
    service.deps.wallets = { ...service.deps.wallets, forPayments: () => sandbox, named: () => sandbox }
    expect(steps).to.deep.equal([
      'mongodb find',
      'mongodb update',
      // Checks whether the business is suspended.
      'mongodb find',
      'mongodb update',
      'enqueue outbox-relay',
      'enqueue intent-expiry',
    ])
  })

  /** Its effect is the same for every retry (docs/merchants/retries.md). */
  interface Request extends Case {
    request: WriteRequest
    responses: string[]
  }
  /** Runs without claiming the idempotency key. */
  type Operate = (deps: Deps, caller: Caller, each: Request) => Promise<unknown>
  const request = (operate: Operate, first: () => Promise<Case>) => {
    const send = async (deps: Deps, each: Request): Promise<void> => {
      const response = await operate(deps, callerOf(each.merchant), each).then(
        () => 'done',
        ({ code }: { code?: string }) => code ?? 'no response',
      )
      // A merchant retries after an unknown outcome, or when the process has lost its database.
      if (!['SERVICE_UNAVAILABLE', 'no response'].includes(response)) each.responses.push(response)
    }
    return {
      async prepare(): Promise<Request> {
        const own = newRequest(service.deps, { deadlineAt: noDeadline })
        return { ...(await first()), request: own, responses: [] }
      },
      run: (victim: Victim, each: Request) => send(victim.deps, each),
      async repeat(each: Request) {
        await send(service.deps, each)
        await workThrough(each)
        await send(service.deps, each)
      },
    }
  }

  function onlyResponse({ responses }: Request, label: string): string {
    expect(new Set(responses), label).to.have.property('size', 1)
    return responses[0] ?? ''
  }
  const refunding = {
    ...request(async (deps, caller, { referenceNumber, request: own }) => {
      const input = { amount: 20_000, reason: null, expectedRefundable: null }
      const run = refundIntent(deps, caller, referenceNumber, input, own)
      return finished(run, () => findEffectByKey(deps, caller, referenceNumber, own))
    }, preparePaid),
    async check(each: Request, label: string) {
      const intent = await expectBooks(each, label)
      const response = onlyResponse(each, label)
      expect(response, label).to.be.oneOf(['done', 'REFUND_FAILED'])
      const { status, refunds, refundsCommitted } = intent
      const isDone = response === 'done'
      expect([status, refunds.length, refundsCommitted], label).to.deep.equal(
        isDone ? ['REFUNDED', 1, 20_000] : ['PAID', 0, 0],
      )
      const events = ['payment.created', 'payment.confirmed', ...(isDone ? ['payment.refunded'] : [])]
      expect(outboxEventsOf(intent), label).to.deep.equal(events)
    },
  }

  it('makes a refund at most once, and a retry reports whether it was made', async () => {
    const steps = await kill(refunding)
    const writes = steps.flatMap((name, index) => (name === 'mongodb update' ? index + 1 : []))
    expect([steps[0], writes.length >= 2]).to.deep.equal(['mongodb aggregate', true])
    for (const write of writes) await land(refunding, write)
  })

  it('simulates a payment exactly once, and a retry reports its success', async () => {
    const simulating = {
      ...request(async (deps, caller, { referenceNumber, request: own }) => {
        const input = { amount: null, payerPhone: '22000001', outcome: 'success' } as const
        const run = simulatePayment(deps, caller, referenceNumber, input, own)
        return finished(run, () => findEffectByKey(deps, caller, referenceNumber, own))
      }, prepare),
      async check(each: Request, label: string) {
        const intent = await expectBooks(each, label)
        expect([intent.status, onlyResponse(each, label)], label).to.deep.equal(['PAID', 'done'])
        expect(outboxEventsOf(intent), label).to.deep.equal(['payment.created', 'payment.confirmed'])
      },
    }
    const steps = await kill(simulating)
    await land(simulating, steps.indexOf('mongodb update') + 1)
    expect(steps).to.deep.equal(['mongodb aggregate', 'mongodb update', 'enqueue outbox-relay'])
  })

  /** The wallet carries out each order, but this process never learns the outcome. */
  const loseResponses = ({ deps }: { deps: Deps }) => {
    const own = deps.wallets
    const wallet = own.forPayments(true) ?? expect.fail()
    const lost = async (sent: Promise<unknown>) => {
      await sent
      throw new TypeError('connection lost')
    }
    const losing: Wallet = {
      ...wallet,
      authorise: (order) => lost(wallet.authorise(order)),
      refund: (order) => lost(wallet.refund(order)),
    }
    deps.wallets = { ...own, forPayments: () => losing, named: () => losing }
  }

  for (const [what, operation] of Object.entries({ payment: paying, refund: refunding }))
    it(`makes a ${what} exactly once even if the wallet's response is lost as well`, async () => {
      const steps = await kill({
        ...(operation as Operation<Request>),
        run(victim, each: Request) {
          loseResponses(victim)
          return (operation as Operation<Request>).run(victim, each)
        },
      })
      expect(steps).to.include('enqueue wallet-outcome')
    })

  async function prepareLostResponse(): Promise<Case> {
    const each = await prepare()
    // Cases are prepared at once, so each has wallets of its own.
    const losing = { deps: Object.create(service.deps) as Deps }
    loseResponses(losing)
    expect(await pay(losing, each.referenceNumber, each)).to.deep.equal({ state: 'waiting' })
    return each
  }

  it("records a payment's outcome exactly once, even if the killed process was querying the wallet", async () => {
    const querying: Operation<Case> = {
      prepare: prepareLostResponse,
      async run(victim, { referenceNumber, paymentId }) {
        const { _id } = await storedIntent(service, referenceNumber)
        return queryWallet(victim.deps, _id, paymentId)
      },
      repeat: workThrough,
      check: paying.check,
    }
    expect(await kill(querying, 2000)).to.include.members(settling)
  })
})
