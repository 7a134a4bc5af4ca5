import { rawCollection } from '../../src/mongo/collection.ts'
import { type CheckSlowHash, checksPerOwner } from '../../src/security/slow-hash.ts'
import { createWallet, lookUpWallet } from '../../src/wallets/sandbox/operate.ts'
import { createSandboxWallet } from '../../src/wallets/sandbox/sandbox-wallet.ts'
import { callWallet, type Wallet } from '../../src/wallets/wallet.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createGate } from '../support/gate.ts'
import { overtake } from '../support/kill-at-every-step.ts'
import { inFull } from '../support/machine.ts'
import { tester, withSecondProcess, withService } from '../support/service.ts'
import { customersOf, done, locked, notExecuted, pin, poor, technical, wrongPin } from './customers.ts'

const minuteMs = 60_000
const quarterMs = 15 * minuteMs

describe('A sandbox wallet', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  let here: ReturnType<typeof customersOf>
  let there: ReturnType<typeof customersOf>
  before(() => {
    ;[here, there] = [customersOf(service), customersOf(beside)]
  })
  const pass = (ms: number) => {
    for (const { clock } of [service, beside]) clock.advance(ms)
  }
  const inBoth = <T>(count: number, act: (where: typeof here) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 === 0 ? here : there)))
  const count = (outcomes: unknown[], wanted: object | boolean) =>
    outcomes.filter((outcome) => JSON.stringify(outcome) === JSON.stringify(wanted)).length

  it('pays if the PIN is correct and the balance is sufficient', async () => {
    const phone = await here.customer(250)
    expect(await here.pay({ phone })).to.deep.equal(done)
    expect(await here.pay({ phone, amount: 151 })).to.deep.equal(poor)
    expect(await here.pay({ phone, amount: 150 })).to.deep.equal(done)
    expect(await here.balanceOf(phone)).to.equal(0)
  })

  it('stores its PIN only as a slow hash', async () => {
    const phone = await here.customer(0)
    expect((await here.accountOf(phone)).pinHash).to.match(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
    await here.pay({ phone, pin: '7391' })
    const { WalletAccount, WalletMovement } = service.deps
    const kept = [await WalletAccount.find().lean(), await WalletMovement.find().lean()]
    expect(JSON.stringify(kept)).not.to.match(new RegExp(`"(7391|${pin})"`))
  })

  it('gives a wrong PIN the same response as a phone number without a wallet', async () => {
    const phone = await here.customer(100)
    expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone: '39999999' })).to.deep.equal(wrongPin)
    expect(await here.balanceOf(phone)).to.equal(100)
  })

  it('is locked for 15 minutes after five wrong PINs', async () => {
    const phone = await here.customer(1000)
    for (const where of [here, there, here, there, here])
      expect(await where.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await there.pay({ phone })).to.deep.equal(locked)
    pass(quarterMs - minuteMs)
    expect(await here.pay({ phone })).to.deep.equal(locked)
    pass(minuteMs)
    expect(await here.pay({ phone })).to.deep.equal(done)
    for (const _ of [1, 2, 3, 4, 5]) expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone })).to.deep.equal(locked)
    expect(await here.balanceOf(phone)).to.equal(900)
  })

  it('is locked after five of many wrong PINs that two processes receive in parallel', async () => {
    const phone = await here.customer(1000)
    const all = inFull(50, 12)
    const outcomes = await inBoth(all, (where) => where.pay({ phone, pin: '0000' }))
    expect([count(outcomes, wrongPin), count(outcomes, locked)]).to.deep.equal([5, all - 5])
    expect(await here.pay({ phone })).to.deep.equal(locked)
  })

  it('counts a wrong PIN once even if the order is repeated', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone, pin: '0000' })
    for (const where of [here, there, here, there, here, there])
      expect(await where.wallet.authorise(order)).to.deep.equal(wrongPin)
    expect((await lookUpWallet(service.deps, phone, null))?.pin).to.deep.equal({
      failures: 1,
      lockEndsAt: null,
    })
    const undone = here.order({ phone, pin: '0000' })
    expect(await here.queryStatus('payment', undone.key)).to.deep.equal(notExecuted)
    expect(await here.wallet.authorise(undone)).to.deep.equal(notExecuted)
    for (const _ of [2, 3, 4, 5]) expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(locked)
  })

  const withCheck = (check: CheckSlowHash) =>
    createSandboxWallet({ ...service.deps, slowHash: { ...service.deps.slowHash, createCheck: () => check } })

  for (const [what, begin] of [
    ['a correct PIN', async (phone: string) => expect(await here.pay({ phone })).to.deep.equal(done)],
    ['15 minutes', async () => pass(quarterMs)],
  ] as const)
    it(`allows five wrong PINs again after ${what}`, async () => {
      for (const late of [null, false]) {
        const phone = await here.customer(1000)
        const [began, gate] = [createGate(), createGate()]
        const slow = withCheck(() => (began.open(), gate.passed.then(() => late)))
        const validUntil = new Date(service.clock.now().getTime() + 2 * quarterMs)
        for (const _ of [1, 2, 3, 4]) expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
        const first = slow.authorise(here.order({ phone, validUntil }))
        await began.passed
        await begin(phone)
        gate.open()
        expect(await first).to.deep.equal(late === null ? notExecuted : wrongPin)
        const counted = late === null ? 0 : 1
        const known = await lookUpWallet(service.deps, phone, null)
        expect(known?.pin).to.deep.equal({ failures: counted, lockEndsAt: null })
        for (const _ of [1, 2, 3, 4, 5].slice(counted))
          expect(await there.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
        expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(locked)
      }
    })

  it("doesn't count a PIN that is rejected because its process is checking too many", async () => {
    const phone = await here.customer(1000)
    const busy = withCheck(async () => null)
    for (const _ of [1, 2, 3, 4, 5, 6])
      expect(await busy.authorise(here.order({ phone }))).to.deep.equal(notExecuted)
    expect(await busy.authorise(here.order({ phone: '39999999' }))).to.deep.equal(notExecuted)
    expect((await here.accountOf(phone)).wrongPins.count).to.equal(0)
    expect(await here.pay({ phone })).to.deep.equal(done)
  })

  it("can pay even while another business's payments use up all PIN checks of a process", async () => {
    const [business, rival] = await Promise.all([service.merchant(), service.merchant()])
    const { slowHash } = service.deps
    const rivals: ReturnType<CheckSlowHash>[] = []
    const createCheck: typeof slowHash.createCheck = (...limits) => {
      const check = slowHash.createCheck(...limits)
      // All of them come just before the payment's own check.
      return (...own) => {
        for (let time = 0; time < 100; time += 1) rivals.push(check(rival.businessId, null, pin))
        return check(...own)
      }
    }
    const wallet = createSandboxWallet({ ...service.deps, slowHash: { ...slowHash, createCheck } })
    const order = here.order({ phone: '22000001', pin: '1234', businessId: business.businessId })
    expect(await wallet.authorise(order)).to.deep.equal(done)
    expect(count(await Promise.all(rivals), false)).to.equal(checksPerOwner)
  })

  it('never has a negative balance under concurrent payments', async () => {
    const phone = await here.customer(850)
    const outcomes = await inBoth(20, (where) => where.pay({ phone }))
    expect([count(outcomes, done), count(outcomes, poor)]).to.deep.equal([8, 12])
    expect(await here.balanceOf(phone)).to.equal(50)
  })

  it('pays once for ten concurrent orders with one key', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone })
    expect(count(await inBoth(10, (where) => where.wallet.authorise(order)), done)).to.equal(10)
    expect(await there.wallet.authorise(order)).to.deep.equal(done)
    expect(await here.queryStatus('payment', order.key)).to.deep.equal(done)
    expect(await here.balanceOf(phone)).to.equal(900)
  })

  it("repeats an order's first result, even if the payment would now succeed", async () => {
    const phone = await here.customer(0)
    const [declined, refused] = [here.order({ phone }), here.order({ phone, pin: '0000' })]
    expect(await here.wallet.authorise(declined)).to.deep.equal(poor)
    expect(await here.wallet.authorise(refused)).to.deep.equal(wrongPin)
    breaks(service, 'wallet balances', phone)
    await service.deps.WalletAccount.updateOne({ _id: phone }, { $set: { balance: 1000 } })
    expect(await here.wallet.authorise(declined)).to.deep.equal(poor)
    expect(await here.wallet.authorise({ ...refused, pin })).to.deep.equal(wrongPin)
    expect([
      await here.queryStatus('payment', declined.key),
      await here.queryStatus('payment', refused.key),
    ]).to.deep.equal([poor, wrongPin])
    expect(await here.balanceOf(phone)).to.equal(1000)
  })

  it('never carries out an order whose status was already queried or whose deadline has passed', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone })
    expect(await there.queryStatus('payment', order.key)).to.deep.equal(notExecuted)
    expect(await here.wallet.authorise(order)).to.deep.equal(notExecuted)
    const late = here.order({ phone, validUntil: service.clock.now() })
    expect(await here.wallet.authorise(late)).to.deep.equal(notExecuted)
    expect(await here.balanceOf(phone)).to.equal(1000)
  })

  it('never carries out a delayed order after its deadline', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone })
    const outcome = await overtake(service, 4, [
      ({ wallets }) => (wallets.forPayments(true) as Wallet).authorise(order),
      async () => {
        expect(await here.pay({ phone })).to.deep.equal(done)
        pass(minuteMs)
      },
    ])
    expect(outcome).to.deep.equal(notExecuted)
    expect(await here.balanceOf(phone)).to.equal(900)
  })

  it("waits for a killed process's open transaction while other wallets pay", async () => {
    const [phone, other] = [await here.customer(1000), await here.customer(1000)]
    const { transactions, WalletAccount } = service.deps
    const session = transactions.client.startSession()
    session.startTransaction()
    await rawCollection(WalletAccount).updateOne({ _id: phone }, { $inc: { balance: -1000 } }, { session })
    const waiting = inBoth(4, (where) => where.pay({ phone, amount: 250 }))
    const others = await inBoth(4, (where) => where.pay({ phone: other, amount: 250 }))
    expect(session.inTransaction() && count(others, done)).to.equal(4)
    const impatient = createSandboxWallet({ ...service.deps, config: { walletTimeoutMs: 100 } })
    const order = here.order({ phone })
    const log = { ...service.deps.log, error: () => expect.fail('it is no bug') }
    const given = await callWallet({ ...service.deps, log }, 'sandbox', () => impatient.authorise(order))
    expect(given).to.include({ outcome: 'unknown' })
    await session.abortTransaction()
    await session.endSession()
    expect(count(await waiting, done)).to.equal(4)
    expect([await here.balanceOf(phone), await here.balanceOf(other)]).to.deep.equal([0, 0])
    expect(await there.queryStatus('payment', order.key)).to.deep.equal(notExecuted)
  })

  it('simulates a technical failure for a magic amount', async () => {
    const phone = await here.customer(1_000_000)
    expect(await here.pay({ phone, amount: 99_901, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone, amount: 99_901 })).to.deep.equal(technical)
    expect(await here.balanceOf(phone)).to.equal(1_000_000)
  })

  describe('with a refund order', () => {
    /** A customer who paid 1000 plus a fee of 10, and has nothing left. */
    async function paid() {
      const phone = await here.customer(1010)
      const order = here.order({ phone, amount: 1000, fee: 10 })
      expect(await here.pay({ phone, amount: 1000, fee: 11 })).to.deep.equal(poor)
      expect(await here.wallet.authorise(order)).to.deep.equal(done)
      return { phone, key: order.key }
    }

    it('receives each partial refund only once', async () => {
      const { phone, key } = await paid()
      const order = here.refundOf(key, 400, 4)
      expect(count(await inBoth(10, (where) => where.wallet.refund(order)), done)).to.equal(10)
      expect(await here.wallet.refund(here.refundOf(key, 600, 6))).to.deep.equal(done)
      expect(await here.balanceOf(phone)).to.equal(1010)
      expect(await here.queryStatus('refund', order.key)).to.deep.equal(done)
    })

    it('never receives more than the paid amount and fee, even from concurrent refunds', async () => {
      const { phone, key } = await paid()
      const outcomes = await inBoth(10, (where) => where.wallet.refund(where.refundOf(key, 300, 3)))
      expect([count(outcomes, done), count(outcomes, technical)]).to.deep.equal([3, 7])
      expect(await here.wallet.refund(here.refundOf(key, 1, 2))).to.deep.equal(technical)
      expect(await here.balanceOf(phone)).to.equal(909)
    })

    it('receives nothing for an unknown or failed payment', async () => {
      const { phone, key } = await paid()
      expect(await here.wallet.refund(here.refundOf('no-payment', 10))).to.deep.equal(technical)
      const unpaid = here.order({ phone })
      expect(await here.wallet.authorise(unpaid)).to.deep.equal(poor)
      expect(await here.wallet.refund(here.refundOf(unpaid.key, 10))).to.deep.equal(technical)
      const order = here.refundOf(key, 10)
      expect(await here.queryStatus('refund', order.key)).to.deep.equal(notExecuted)
      expect(await here.wallet.refund(order)).to.deep.equal(notExecuted)
      expect(await here.balanceOf(phone)).to.equal(0)
    })
  })

  describe('provided for demonstrations', () => {
    const demo = (phone: string, changes: object = {}) => here.pay({ phone, pin: '1234', ...changes })

    it('exists by default and produces the outcome that its phone number stands for', async () => {
      expect(await Promise.all([1, 2, 3].map(() => demo('22000001')))).to.deep.equal([done, done, done])
      expect(await demo('22000001', { pin: '4321' })).to.deep.equal(wrongPin)
      expect(await demo('22000002')).to.deep.equal(wrongPin)
      expect(await demo('22000003')).to.deep.equal(poor)
      expect(await demo('22000004')).to.deep.equal(technical)
      expect(await demo('22000004', { pin: '4321' })).to.deep.equal(wrongPin)
      expect(await demo('22000005')).to.deep.equal({ outcome: 'declined', reason: 'limit_exceeded' })
      expect(await demo('22000006')).to.deep.equal(locked)
    })

    it("can't be locked by another business", async () => {
      const wrong = () => demo('22000001', { businessId: 'another', pin: '0000' })
      for (const _ of [1, 2, 3, 4, 5]) expect(await wrong()).to.deep.equal(wrongPin)
      expect(await demo('22000001', { businessId: 'another' })).to.deep.equal(locked)
      expect(await demo('22000001', { businessId: 'a third' })).to.deep.equal(done)
    })

    it('is replaced by a wallet created with the same phone number', async () => {
      expect(await demo('22000005', { businessId: 'b' })).to.include({ outcome: 'declined' })
      await createWallet(service.deps, { phone: '22000005', pin, balance: 150 }, tester)
      expect(await demo('22000005', { businessId: 'b' })).to.deep.equal(wrongPin)
      expect(await here.pay({ phone: '22000005', businessId: 'b' })).to.deep.equal(done)
      expect(await here.balanceOf('22000005')).to.equal(50)
    })
  })
})
