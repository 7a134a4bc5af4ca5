import { rawCollection } from '../../src/mongo/collection.ts'
import type { WalletOutcome } from '../../src/wallets/wallet.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent, freshDelivery, relay, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { pay, refund, storedIntent } from '../support/pay.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { readable, withStaff } from './staff.ts'

const charged = '505.00 MRU (500.00 MRU and a fee of 5.00 MRU)'
/** In seconds. Shorter than a staff session. */
const lifetime = 3600
const unknown: WalletOutcome = { outcome: 'unknown', why: 'timeout' }

describe("A payment's page", () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ INTENT_LIFETIME_SECONDS: String(lifetime) })
  const endpointServer = withEndpointServer()
  let wallet: ScriptedWallet
  const staff = withStaff(service, 'viewer')
  before(() => void (wallet = scriptedWallet(service)))
  // The page shows whole seconds, and each step advances the clock by one.
  beforeEach(() => service.clock.freeze(new Date(Math.ceil(service.clock.now().getTime() / 1000) * 1000)))
  afterEach(() => service.clock.freeze(null))

  const source = async (reference: string) => (await staff.get(`/admin/payments/${reference}`)).text
  const page = async (reference: string) => readable(await source(reference))
  const story = async (reference: string) =>
    ((await page(reference)).split('Timeline ')[1] ?? '')
      .split(/ ?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC /)
      .slice(1)
      .map((line) => line.trim())
  const shown = (seconds: number) =>
    `${new Date(service.clock.now().getTime() + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

  const payWith = async (reference: string, outcome: WalletOutcome) => {
    service.clock.advance(1000)
    wallet.setOutcome(() => outcome)
    return pay(service, reference, { phone: '22345645', pin: '1234' })
  }
  const giveBack = async (reference: string, amount: number, outcome: WalletOutcome) => {
    service.clock.advance(1000)
    wallet.setOutcome(() => outcome)
    return refund(service, merchant, reference, amount)
  }

  it('describes each payment attempt, the masked payer, the commission and the refunds in words', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await payWith(referenceNumber, { outcome: 'refused', reason: 'wrong_pin' })
    await payWith(referenceNumber, { outcome: 'declined', reason: 'insufficient_funds' })
    await payWith(referenceNumber, { outcome: 'not-executed' })
    expect(await page(referenceNumber)).to.include(
      'Failed the wallet does not have enough money (insufficient_funds); the customer can try again',
    )
    await payWith(referenceNumber, { outcome: 'done' })
    await giveBack(referenceNumber, 20_000, { outcome: 'done' })
    await giveBack(referenceNumber, 3_000, { outcome: 'failed', reason: 'wallet_closed' })
    await giveBack(referenceNumber, 1_005, unknown)
    const attempt = `Payment of ${charged} by 22 ** ** 45:`
    const start = `Payment of ${charged} by 22 ** ** 45 started`
    const lines = await story(referenceNumber)
    expect(lines.filter((line) => !/^payment\.\w+ happened/.test(line))).to.deep.equal([
      'Created by the merchant',
      start,
      `${attempt} refused (the merchant is not notified): the phone number or the PIN is wrong (wrong_pin)`,
      start,
      `${attempt} declined; the customer can try again: the wallet does not have enough money (insufficient_funds)`,
      start,
      `${attempt} the wallet was not reached; no money moved`,
      start,
      `${attempt} paid`,
      'Refund of 202.00 MRU (200.00 MRU and 2.00 MRU of the fee): SUCCEEDED',
      'Refund of 30.30 MRU (30.00 MRU and 0.30 MRU of the fee) started',
      'Refund of 30.30 MRU (30.00 MRU and 0.30 MRU of the fee) failed: the wallet is closed (wallet_closed)',
      'Refund of 10.15 MRU (10.05 MRU and 0.10 MRU of the fee): PENDING',
      'The service checks the outcome of the refund with the wallet',
    ])
    const html = await source(referenceNumber)
    const text = readable(html)
    expect(html).not.to.match(/22345645|>1234</)
    const { payment, refunds } = await storedIntent(service, referenceNumber)
    for (const part of [
      `Status REFUNDED Paid 500.00 MRU + 5.00 MRU fee by WALLET, ${shown(-3)} Customer 22 ** ** 45`,
      `Wallet sandbox wallet; payment key: ${payment?.key}`,
      'merchant 10.00 MRU, customer 5.00 MRU; including taxes 2.10 MRU + 0.30 MRU; revenue 12.60 MRU',
      `200.00 MRU + 2.00 MRU fee to the customer, fee of 4.00 MRU to the merchant, ${shown(-2)}, `,
      `${refunds[0]?.id}: SUCCEEDED, the customer received the money`,
      `A refund is in progress since ${shown(0)}: 10.05 MRU + 0.10 MRU fee, ${refunds[1]?.id}.`,
      `The service checks with the wallet at ${shown(1)}.`,
    ])
      expect(text).to.include(part)
    expect(text).not.to.match(/may try again|cannot be paid/)
  })

  it('shows when a payment in progress began and when the wallet will be queried', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await payWith(referenceNumber, unknown)
    service.clock.advance(lifetime * 1000)
    const text = await page(referenceNumber)
    const { hold } = await storedIntent(service, referenceNumber)
    for (const part of [
      `A payment is in progress since ${shown(-lifetime)}: 500.00 MRU + 5.00 MRU fee by 22 ** ** 45`,
      `payment key: ${hold?.id}`,
      `The service will next check the outcome with the wallet at ${shown(1 - lifetime)}.`,
      'Status PENDING',
    ])
      expect(text).to.include(part)
    const lines = await story(referenceNumber)
    const start = lines.indexOf(`Payment of ${charged} by 22 ** ** 45 started`)
    expect(start).to.be.at.least(0)
    expect(lines[start + 1]).to.equal('The service checks the outcome of the payment with the wallet')
  })

  it('says why the intent can no longer be paid, e.g. after a permanent failure or expiry', async () => {
    const { referenceNumber: failed } = await createIntent(service, merchant)
    await payWith(failed, { outcome: 'failed', reason: 'wallet_closed' })
    const closed = 'the wallet is closed (wallet_closed)'
    expect(await story(failed)).to.include(
      `Payment of ${charged} by 22 ** ** 45: failed permanently: ${closed}`,
    )
    expect(await page(failed)).to.include(`Status FAILED Failed ${closed}; it can no longer be paid`)
    const expired = await createIntent(service, merchant)
    await payWith(expired.referenceNumber, { outcome: 'declined', reason: 'limit_exceeded' })
    service.clock.advance(lifetime * 1000)
    const limited = 'the amount exceeds the limit of the wallet (limit_exceeded); it can no longer be paid'
    expect(await page(expired.referenceNumber)).to.include(limited)
    expect((await story(expired.referenceNumber)).at(-1)).to.equal('CANCELLED: expired without a payment')
  })

  it('counts the events per type that had no subscriber', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await payWith(referenceNumber, { outcome: 'declined', reason: 'insufficient_funds' })
    await payWith(referenceNumber, { outcome: 'declined', reason: 'insufficient_funds' })
    await relay(service, merchant)
    await subscribe(service, merchant, endpointServer.url, ['payment.failed', 'payment.refunded'])
    await payWith(referenceNumber, { outcome: 'declined', reason: 'insufficient_funds' })
    await payWith(referenceNumber, { outcome: 'done' })
    await giveBack(referenceNumber, 10_000, { outcome: 'done' })
    await giveBack(referenceNumber, 10_000, { outcome: 'failed', reason: 'wallet_closed' })
    await giveBack(referenceNumber, 10_000, { outcome: 'done' })
    await relay(service, merchant)
    await giveBack(referenceNumber, 10_000, { outcome: 'done' })
    const notice = /No active endpoint was subscribed to (.*?), so nothing was sent/g
    expect([...(await page(referenceNumber)).matchAll(notice)].map(([, what]) => what)).to.deep.equal([
      'payment.created when it happened',
      'payment.failed 2 of the 3 times that it happened',
      'payment.confirmed when it happened',
    ])
  })

  it('says so when there are more deliveries than it shows', async () => {
    await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    const delivery = await freshDelivery(service, merchant)
    await payWith(delivery.referenceNumber, { outcome: 'done' })
    await relay(service, merchant)
    const unheard = 'No active endpoint was subscribed to payment.confirmed'
    expect(await page(delivery.referenceNumber)).to.include(unheard)
    const more = Array.from({ length: 500 }, (_, at) => ({ ...delivery, _id: `${delivery._id}${at}` }))
    excuse(more.map(({ _id }) => _id))
    await rawCollection(service.deps.Delivery).insertMany(more)
    const text = await page(delivery.referenceNumber)
    expect(text).to.include('Only the first 500 deliveries are shown.')
    expect(text).not.to.include(unheard)
  })
})
