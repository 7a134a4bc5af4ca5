import { expect } from 'chai'
import { createOneAtATime } from '../../src/process/one-at-a-time.ts'
import { fairShare, type SlowCheck } from '../../src/security/slow-hash.ts'
import { authorise } from '../../src/wallets/sandbox/authorise.ts'
import { createWallet } from '../../src/wallets/sandbox/create-wallet.ts'
import { lookUpWallet } from '../../src/wallets/sandbox/list-wallets.ts'
import { createSandboxWallet } from '../../src/wallets/sandbox/sandbox-wallet.ts'
import { transfer } from '../../src/wallets/sandbox/transfer.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createGate } from '../support/gate.ts'
import { rounds } from '../support/machine.ts'
import { tester, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { customersOf, done, locked, notExecuted, pin, poor, technical, wrongPin } from './customers.ts'

const quarterMs = 15 * 60_000

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
  /** Acts concurrently, alternating between both processes. */
  const inBoth = <T>(count: number, act: (where: typeof here) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 === 0 ? here : there)))
  const count = (outcomes: unknown[], wanted: object | boolean) =>
    outcomes.filter((outcome) => JSON.stringify(outcome) === JSON.stringify(wanted)).length

  it('pays if the PIN is correct and the balance is sufficient', async () => {
    const phone = await here.customer(250)
    expect(await here.pay({ phone })).to.deep.equal(done)
    expect(await here.pay({ phone, amount: 151 })).to.deep.equal(poor)
    expect(await here.pay({ phone, amount: 150 })).to.deep.equal(done)
    expect(await here.accountOf(phone)).to.include({ balance: 0, current: null })
  })

  it('stores its PIN only as a slow hash', async () => {
    const phone = await here.customer(0)
    const account = await here.accountOf(phone)
    expect(account.pinHash).to.match(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
    await here.pay({ phone, pin: '7391' })
    const { WalletAccount, WalletMovement } = service.deps
    const kept = [await WalletAccount.find().lean(), await WalletMovement.find().lean()]
    expect(JSON.stringify(kept)).not.to.match(new RegExp(`"(7391|${pin})"`))
  })

  it('responds to a wrong PIN as if the phone number had no wallet', async () => {
    const phone = await here.customer(100)
    expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone: '39999999' })).to.deep.equal(wrongPin)
    expect(await here.balanceOf(phone)).to.equal(100)
  })

  it('is locked for 15 minutes after five wrong PINs, even if the next PIN is correct', async () => {
    const phone = await here.customer(1000)
    for (const where of [here, there, here, there, here])
      expect(await where.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await there.pay({ phone })).to.deep.equal(locked)
    pass(quarterMs - 60_000)
    expect(await here.pay({ phone })).to.deep.equal(locked)
    pass(60_000)
    expect(await here.pay({ phone })).to.deep.equal(done)
    // Then five attempts are available again.
    for (const _ of [1, 2, 3, 4, 5]) expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone })).to.deep.equal(locked)
    expect(await here.balanceOf(phone)).to.equal(900)
  })

  it('checks only five of many wrong PINs that two processes receive in parallel', async () => {
    const phone = await here.customer(1000)
    const all = rounds(50, 12)
    const outcomes = await inBoth(all, (where) => where.pay({ phone, pin: '0000' }))
    expect([count(outcomes, wrongPin), count(outcomes, locked)]).to.deep.equal([5, all - 5])
    expect((await here.accountOf(phone)).pinAttempts).to.include({ taken: 5, wrong: 5, round: 0 })
    expect(await here.pay({ phone })).to.deep.equal(locked)
  })

  it('accepts twenty concurrent payments with the correct PIN', async () => {
    const phone = await here.customer(2000)
    const outcomes = await inBoth(20, (where) => where.pay({ phone }))
    expect(count(outcomes, done)).to.equal(20)
    expect(await here.accountOf(phone)).to.include({ balance: 0, current: null })
  })

  it('counts an attempt as failed if a process dies while checking the PIN, but is not locked permanently', async () => {
    const phone = await here.customer(1000)
    const taken = {
      'pinAttempts.taken': 5,
      'pinAttempts.wrong': 4,
      'pinAttempts.lastTakenAt': service.clock.now(),
    }
    await service.deps.WalletAccount.updateOne({ _id: phone }, { $set: taken })
    expect(await here.pay({ phone })).to.deep.equal(locked)
    pass(quarterMs)
    expect(await here.pay({ phone })).to.deep.equal(done)
  })

  for (const [what, begin] of [
    ['a correct PIN', async (phone: string) => expect(await here.pay({ phone })).to.deep.equal(done)],
    ['15 minutes', async () => pass(quarterMs)],
  ] as const)
    it(`checks five PINs again after ${what}, even if a check from before ends later`, async () => {
      for (const late of [null, false]) {
        const phone = await here.customer(1000)
        const gate = createGate()
        let begun = 0
        const [onePinAtATime, oneMovementAtATime] = [createOneAtATime(), createOneAtATime()]
        const checkPin = () => (++begun, gate.passed.then(() => late))
        const hashDemoPin = () => service.deps.slowHash.make(pin)
        const slow = { ...service.deps, onePinAtATime, oneMovementAtATime, checkPin, hashDemoPin }
        const first = authorise(slow, here.order({ phone }))
        await waitFor('the check begins', () => begun === 1)
        await begin(phone)
        expect(await there.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
        gate.open()
        await first
        const known = await lookUpWallet(service.deps, phone, null)
        expect(known?.pin).to.deep.equal({ wrongAttempts: 1, lockEndsAt: null })
        for (const _ of [2, 3, 4, 5]) expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(wrongPin)
        expect(await here.pay({ phone, pin: '0000' })).to.deep.equal(locked)
      }
    })

  it('does not count an attempt that is rejected because the process is already checking too many PINs', async () => {
    const phone = await here.customer(1000)
    const [onePinAtATime, oneMovementAtATime] = [createOneAtATime(), createOneAtATime()]
    const busy = {
      ...service.deps,
      onePinAtATime,
      oneMovementAtATime,
      checkPin: async () => null,
      hashDemoPin: async () => '',
    }
    for (const _ of [1, 2, 3, 4, 5, 6]) expect(await authorise(busy, here.order({ phone }))).to.deep.equal(notExecuted)
    expect(await authorise(busy, here.order({ phone: '39999999' }))).to.deep.equal(notExecuted)
    expect((await here.accountOf(phone)).pinAttempts.taken).to.equal(0)
    expect(await here.pay({ phone })).to.deep.equal(done)
  })

  it("can pay even while another business's payments need more PIN checks than a process accepts", async () => {
    const [business, rival] = await Promise.all([service.merchant(), service.merchant()])
    const { slowHash } = service.deps
    const rivals: ReturnType<SlowCheck>[] = []
    const createCheck: typeof slowHash.createCheck = (...limits) => {
      const check = slowHash.createCheck(...limits)
      // They all come just before the payment's own check.
      return (...own) => {
        for (let time = 0; time < 100; time += 1) rivals.push(check(rival.businessId, null, pin))
        return check(...own)
      }
    }
    const wallet = createSandboxWallet({ ...service.deps, slowHash: { ...slowHash, createCheck } })
    const order = here.order({ phone: '22000001', pin: '1234', businessId: business.businessId })
    expect(await wallet.authorise(order)).to.deep.equal(done)
    expect(count(await Promise.all(rivals), false)).to.equal(fairShare)
  })

  it('never has a negative balance under concurrent payments', async () => {
    const phone = await here.customer(850)
    const orders = Array.from({ length: 20 }, () => here.order({ phone }))
    const outcomes = await Promise.all(
      orders.map(({ key, amount, fee, validUntil }, index) => {
        const order = { key, kind: 'payment', amount, fee, paymentKey: key, validUntil } as const
        return transfer((index % 2 === 0 ? service : beside).deps, phone, order)
      }),
    )
    expect([count(outcomes, done), count(outcomes, poor)]).to.deep.equal([8, 12])
    expect(await here.accountOf(phone)).to.include({ balance: 50, current: null })
  })

  it('carries out only one payment for ten concurrent orders with the same key, and returns the same result for each order', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone })
    const outcomes = await inBoth(10, (where) => where.wallet.authorise(order))
    expect(count(outcomes, done)).to.equal(10)
    expect(await there.wallet.authorise(order)).to.deep.equal(done)
    expect(await here.queryStatus('payment', order.key)).to.deep.equal(done)
    expect(await here.accountOf(phone)).to.include({ balance: 900, current: null })
  })

  it('returns the first result again for a repeated order, even if the payment would now succeed', async () => {
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
    expect(await here.accountOf(phone)).to.include({ balance: 1000, current: null })
  })

  it('never carries out an order whose status has already been queried or whose deadline has passed', async () => {
    const phone = await here.customer(1000)
    const order = here.order({ phone })
    expect(await there.queryStatus('payment', order.key)).to.deep.equal(notExecuted)
    expect(await here.wallet.authorise(order)).to.deep.equal(notExecuted)
    const late = here.order({ phone, validUntil: service.clock.now() })
    expect(await here.wallet.authorise(late)).to.deep.equal(notExecuted)
    expect(await here.accountOf(phone)).to.include({ balance: 1000, current: null })
  })

  it('simulates a technical failure, and pays nothing, if the amount is a special one and the PIN is correct', async () => {
    const phone = await here.customer(1_000_000)
    expect(await here.pay({ phone, amount: 99_901, pin: '0000' })).to.deep.equal(wrongPin)
    expect(await here.pay({ phone, amount: 99_901 })).to.deep.equal(technical)
    expect(await here.balanceOf(phone)).to.equal(1_000_000)
  })

  describe('for which a refund is ordered', () => {
    /** A customer who paid 1000 and a fee of 10, and has nothing left. */
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
      const outcomes = await inBoth(10, (where) => where.wallet.refund(order))
      expect(count(outcomes, done)).to.equal(10)
      expect(await here.wallet.refund(here.refundOf(key, 600, 6))).to.deep.equal(done)
      expect(await here.accountOf(phone)).to.include({ balance: 1010, current: null })
      expect(await here.queryStatus('refund', order.key)).to.deep.equal(done)
    })

    it('never receives more than the amount and the fee that were paid, even if several refunds run concurrently', async () => {
      const { phone, key } = await paid()
      const outcomes = await inBoth(10, (where) => where.wallet.refund(where.refundOf(key, 300, 3)))
      expect([count(outcomes, done), count(outcomes, technical)]).to.deep.equal([3, 7])
      expect(await here.wallet.refund(here.refundOf(key, 1, 2))).to.deep.equal(technical)
      expect(await here.accountOf(phone)).to.include({ balance: 909, current: null })
    })

    it("receives nothing if the payment is unknown or unsuccessful, or if the refund's status was queried before the refund was ordered", async () => {
      const { phone, key } = await paid()
      expect(await here.wallet.refund(here.refundOf('no-payment', 10))).to.deep.equal(technical)
      const unpaid = here.order({ phone })
      expect(await here.wallet.authorise(unpaid)).to.deep.equal(poor)
      expect(await here.wallet.refund(here.refundOf(unpaid.key, 10))).to.deep.equal(technical)
      const order = here.refundOf(key, 10)
      expect(await here.queryStatus('refund', order.key)).to.deep.equal(notExecuted)
      expect(await here.wallet.refund(order)).to.deep.equal(notExecuted)
      expect(await here.accountOf(phone)).to.include({ balance: 0, current: null })
    })
  })

  describe('for demonstrations', () => {
    const demo = (phone: string, changes: object = {}) => here.pay({ phone, pin: '1234', ...changes })

    it('exists by default, and produces the outcome that its phone number stands for', async () => {
      const twice = await Promise.all([1, 2, 3].map(() => demo('22000001')))
      expect(twice).to.deep.equal([done, done, done])
      expect(await demo('22000001', { pin: '4321' })).to.deep.equal(wrongPin)
      expect(await demo('22000002')).to.deep.equal(wrongPin)
      expect(await demo('22000003')).to.deep.equal(poor)
      expect(await demo('22000004')).to.deep.equal(technical)
      expect(await demo('22000004', { pin: '4321' })).to.deep.equal(wrongPin)
      expect(await demo('22000005')).to.deep.equal({ outcome: 'declined', reason: 'limit_exceeded' })
      expect(await demo('22000006')).to.deep.equal(locked)
    })

    it("is separate for each business, so that one business cannot lock another business's wallet", async () => {
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
