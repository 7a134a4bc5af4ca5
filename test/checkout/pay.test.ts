import { queryWallet } from '../../src/intents/query-wallets.ts'
import type { Wallet, WalletOutcome, Wallets } from '../../src/wallets/wallet.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import { readIntent } from '../support/actions.ts'
import { type Merchant, withService } from '../support/service.ts'
import { debits, fill, follow, offerOf, open, pay, wallets } from './customer.ts'

describe('The hosted payment flow', () => {
  const service = withService({ COMMISSION_PAYER_BPS: '0' })
  /** Each intent belongs to a new merchant, so that tests don't share demo wallets. */
  const offer = async (fields: object = {}) => {
    const merchant = await service.merchant()
    return { merchant, ...(await offerOf(service, merchant, fields)) }
  }
  const statusOf = async (merchant: Merchant, referenceNumber: string): Promise<string> =>
    (await readIntent(service, merchant, referenceNumber)).status
  let real: Wallets
  before(() => void (real = service.deps.wallets))
  const restoreWallet = () => void (service.deps.wallets = real)
  afterEach(restoreWallet)
  const replaceWallet = (calls: Partial<Wallet>) => {
    const wallet = { ...(real.named('sandbox') ?? expect.fail()), ...calls }
    excuse([service.deps.mongo.name], 'wallet movements')
    service.deps.wallets = { ...real, forPayments: () => wallet, named: () => wallet }
  }
  const unknown: WalletOutcome = { outcome: 'unknown', why: 'no response' }
  const query = async (path: string, afterMs: number) => {
    const intent = await service.deps.Intent.findOne({ shortCode: path.slice(3) }).lean()
    service.clock.advance(afterMs)
    await queryWallet(service.deps, intent?._id ?? '', intent?.hold?.id ?? '')
  }

  it('takes the money once and confirms the payment to the customer and the merchant', async () => {
    const { merchant, referenceNumber, path } = await offer()
    const response = await fill(await open(service, path), wallets.pays)
    expect([response.status, response.html]).to.deep.equal([303, ''])
    const page = await follow(response)
    expect(page.says).to.include('Payment successful').and.include('500.00 MRU').and.include(referenceNumber)
    expect(page.html).not.to.include('<form')
    const intent = await readIntent(service, merchant, referenceNumber)
    expect(intent).to.deep.include({ status: 'PAID' })
    expect(intent.payment).to.include({ amountPaid: 50_000, method: 'WALLET' })
    expect(await debits(service, merchant)).to.equal(1)
  })

  const notCharged = 'You have not been charged.'
  const noMatch = 'The phone number or PIN is wrong'
  const retryable = {
    'a wrong PIN': [wallets.wrongPin, noMatch],
    'a phone without a wallet': [{ phone: '33445566', pin: '1234' }, noMatch],
    'too little money': [
      wallets.poor,
      'not enough money in this wallet. You have not been charged. Top it up',
    ],
    'an amount above the limit': [wallets.limited, `over this wallet’s limit. ${notCharged}`],
    'a locked wallet': [wallets.locked, 'Try again later, or pay with another wallet.'],
  } as const
  for (const [what, [wallet, sentence]] of Object.entries(retryable))
    it(`shows the form again after ${what}, with the phone number filled in but not the PIN`, async () => {
      const { merchant, referenceNumber, path } = await offer()
      const page = await fill(await open(service, path), wallet)
      expect(page.status).to.equal(422)
      expect(page.says).to.include(sentence === noMatch ? 'There is a problem' : 'Payment not made')
      expect(page.says).to.include(sentence)
      expect(page.html).to.match(/<title>Error: Pay 500\.00.MRU</)
      expect(page.html).to.include(`value="${wallet.phone}"`).and.not.include(`"${wallet.pin}"`)
      expect(await statusOf(merchant, referenceNumber)).to.equal('PENDING')
      expect((await pay(page, wallets.pays)).says).to.include('Payment successful')
      expect(await debits(service, merchant)).to.equal(1)
    })

  it('marks the payment as failed after a technical error and links back to the merchant', async () => {
    const { merchant, referenceNumber, path } = await offer({ cancel_url: 'https://shop.example/c' })
    const page = await pay(await open(service, path), wallets.broken)
    expect(page.says).to.include('The payment failed').and.include('You have not been charged.')
    expect(page.html).to.include('/c?reference&#61;')
    expect(page.html).to.include('status&#61;FAILED').and.not.include('<form')
    expect(await statusOf(merchant, referenceNumber)).to.equal('FAILED')
  })

  it('lets the customer try again if the wallet is unreachable', async () => {
    const { path } = await offer()
    replaceWallet({ authorise: async () => ({ outcome: 'not-executed' }) })
    const page = await fill(await open(service, path), wallets.pays)
    restoreWallet()
    expect(page.status).to.equal(422)
    expect(page.says).to.include('The payment could not be started. You have not been charged.')
    expect((await pay(page, wallets.pays)).says).to.include('Payment successful')
  })

  it('takes the money only once if the same form is submitted ten times in parallel', async () => {
    const { merchant, path } = await offer()
    const form = await open(service, path)
    const responses = await Promise.all(Array.from({ length: 10 }, () => fill(form, wallets.pays)))
    const later = await fill(form, wallets.pays)
    const statuses = [...responses, later].map(({ status }) => status)
    expect(statuses).to.deep.equal(Array.from({ length: 11 }, () => 303))
    expect((await follow(later)).says).to.include('Payment successful')
    expect(await debits(service, merchant)).to.equal(1)
  })

  it('takes the money only once if the customer pays in several tabs', async () => {
    const { merchant, path } = await offer()
    const tabs = await Promise.all([open(service, path), open(service, path), open(service, path)])
    const responses = await Promise.all(tabs.map((tab) => fill(tab, wallets.pays)))
    for (const response of responses) {
      expect(response.status).to.equal(303)
      const { says } = await follow(response)
      expect(says).to.match(/Payment successful|Payment in progress|This payment has already been made/)
    }
    const pages = await Promise.all(responses.map(async (response) => (await follow(response)).says))
    expect(pages.filter((says) => says.includes('Payment successful'))).to.have.length(1)
    expect(pages.filter((says) => says.includes('You were not charged for this attempt.'))).to.have.length(2)
    expect(await debits(service, merchant)).to.equal(1)
  })

  for (const wallet of [wallets.limited, wallets.wrongPin])
    it(`tells a second payer that they were not charged (${wallet.phone})`, async () => {
      const { merchant, referenceNumber, path } = await offer()
      const [form, second] = [await open(service, path), await open(service, path)]
      const first = await pay(form, wallets.pays)
      const page = await pay(second, wallet)
      expect(page.says).to.include(
        'This payment has already been made You were not charged for this attempt.',
      )
      expect(page.says).to.include(referenceNumber).and.not.include('Payment successful')
      expect(page.html).not.to.include('data-leave')
      expect((await open(service, first.url)).says).to.include('Payment successful')
      expect((await open(service, path)).says).to.include('Payment successful')
      expect(await debits(service, merchant)).to.equal(1)
      const refund = service.http.post(`/api/v1/dev/intents/${referenceNumber}/refund`).set(merchant.write())
      await refund.send({}).expect(200)
      const { says } = await open(service, page.url)
      expect(says).to.include('refunded You were not charged for this attempt.')
      expect((await open(service, first.url)).says)
        .to.include('refunded')
        .and.not.include('not charged')
    })

  it("never tells payers that they were not charged while their own payment's outcome is unknown", async () => {
    const { path } = await offer()
    const other = await open(service, path)
    let outcome = unknown as WalletOutcome
    replaceWallet({ authorise: async () => unknown, status: async () => outcome })
    const waiting = await pay(await open(service, path), wallets.pays)
    const second = await pay(other, wallets.limited)
    await query(path, 60_000)
    for (const { url } of [waiting, second])
      expect((await open(service, url)).says)
        .to.include('Payment in progress')
        .and.not.include('not charged')
    outcome = { outcome: 'done' }
    await query(path, 60_000)
    expect((await open(service, waiting.url)).says)
      .to.include('Payment successful')
      .and.not.include('charged')
    expect((await open(service, second.url)).says).to.include('You were not charged for this attempt.')
  })

  for (const wallet of [wallets.wrongPin, wallets.poor])
    it(`asks for the PIN again if a failed form is resubmitted with another wallet (${wallet.phone})`, async () => {
      const { merchant, path } = await offer()
      const form = await open(service, path)
      await fill(form, wallet)
      const again = await fill(form, wallets.pays)
      expect(again.status).to.equal(422)
      const outOfDate = 'This page was out of date. You have not been charged. Enter your PIN again.'
      expect(again.says).to.include(outOfDate)
      expect(again.says).not.to.match(/is wrong|not enough money/)
      expect(again.html).to.include(`value="${wallets.pays.phone}"`).and.not.include('"1234"')
      expect(await debits(service, merchant)).to.equal(0)
      expect((await pay(again, wallets.pays)).says).to.include('Payment successful')
      for (const old of [form, again]) expect((await pay(old, wallets.pays)).html).not.to.include('<form')
      expect(await debits(service, merchant)).to.equal(1)
    })

  it('never takes money when a failed form is resubmitted, however many attempts have been made since', async () => {
    const { merchant, path } = await offer()
    const form = await open(service, path)
    await fill(form, wallets.poor)
    // An intent stores only the last 50 outcomes.
    breaks(service, 'events once')
    await service.deps.Intent.updateOne({ shortCode: path.slice(3) }, { attempts: [] })
    const again = await fill(form, wallets.pays)
    expect([again.status, again.says.includes('This page was out of date.')]).to.deep.equal([422, true])
    expect(await debits(service, merchant)).to.equal(0)
  })

  for (const [outcome, sentence] of [
    [{ outcome: 'done' }, 'Payment successful'],
    [{ outcome: 'declined', reason: 'insufficient_funds' }, 'not enough money in this wallet'],
    [{ outcome: 'refused', reason: 'wrong_pin' }, 'The phone number or PIN is wrong'],
    [{ outcome: 'failed', reason: 'technical_error' }, 'The payment failed'],
  ] as [WalletOutcome, string][])
    it(`shows a waiting page while the outcome is unknown and then shows the outcome: ${Object.values(outcome).join(' ')}`, async () => {
      const { path } = await offer()
      replaceWallet({ authorise: async () => unknown, status: async () => outcome })
      const waiting = await pay(await open(service, path), wallets.pays)
      expect(waiting.says).to.include('Payment in progress').and.include('Do not pay a second time')
      expect(waiting.html).to.match(/<noscript><meta http-equiv="refresh" content="3;url=[^"]*sent/)
      const stranger = await open(service, path)
      expect(stranger.says).to.include('Payment in progress')
      expect(stranger.html).not.to.include('<form')
      await query(path, 2000)
      const page = await open(service, waiting.url)
      expect(page.status).to.equal(200)
      expect(page.says).to.include(sentence)
    })

  it('refuses a forged or outdated form, or one for another payment, and shows a new one', async () => {
    const { merchant, referenceNumber, path } = await offer()
    const other = await open(service, (await offer()).path)
    const foreign = /name="form" value="([^"]+)"/.exec(other.html)?.[1] ?? ''
    const form = await open(service, path)
    const token = /name="form" value="([^"]+)"/.exec(form.html)?.[1] ?? ''
    const [id, at, mac] = token.split('.')
    const changed = [`${id}.${at}`, `${'0'.repeat(24)}.${at}.${mac}`, `${id}.zzzzzzzz.${mac}`, `${token}x`]
    for (const value of ['', 'x', foreign, ...changed]) {
      const page = await fill(form, { ...wallets.pays, form: value })
      expect(page.status, value).to.equal(422)
      expect(page.says).to.include('This page was out of date. You have not been charged.')
      expect(page.html).to.include('value="22000001"').and.not.include('1234"')
    }
    service.clock.advance(2 * 3_600_000 + 1)
    const late = await fill(form, wallets.pays)
    expect(late.status).to.equal(422)
    expect(await statusOf(merchant, referenceNumber)).to.equal('PENDING')
    expect(await debits(service, merchant)).to.equal(0)
    expect((await pay(late, wallets.pays)).says).to.include('Payment successful')
  })

  it('lets the customer choose and change the amount of an OPEN intent', async () => {
    const { merchant, referenceNumber, path } = await offer({ amount: 123_450, amountType: 'OPEN' })
    const first = await open(service, path)
    expect(first.says).to.include('How much do you want to pay?')
    expect(first.html).to.include('value="1,234.50"')
    const second = await fill(first, { amount: '٢٬٠٠٠٫٥٠' })
    expect(second.status).to.equal(200)
    expect(second.says).to.include('Pay 2,000.50 MRU').and.include('Change the amount')
    const refused = await fill(second, wallets.poor)
    expect([refused.status, refused.says.includes('Pay 2,000.50 MRU')]).to.deep.equal([422, true])
    expect((await pay(refused, wallets.pays)).says)
      .to.include('Payment successful')
      .and.include('2,000.50 MRU')
    const { amount, payment } = await readIntent(service, merchant, referenceNumber)
    expect([amount, payment.amountPaid]).to.deep.equal([null, 200_050])
  })

  it('shows an error next to an invalid amount and keeps the typed text', async () => {
    const { merchant, path } = await offer({ amountType: 'OPEN' })
    const first = await open(service, path)
    const form = await fill(first, { amount: '1' })
    for (const [amount, sentence] of [
      ['', 'Enter an amount'],
      ['<b>', 'Enter an amount'],
      ['1,500', 'This amount can be read in two ways.'],
      ['0', 'between 0.01 MRU and 10,000,000.00 MRU'],
      ['10000000.01', 'between 0.01 MRU and 10,000,000.00 MRU'],
    ] as const)
      for (const page of [await fill(first, { amount }), await fill(form, { ...wallets.pays, amount })]) {
        expect(page.status, amount).to.equal(422)
        expect(page.says).to.include(sentence)
        expect(page.html).to.match(/aria-describedby="amount-hint amount-fault" aria-invalid="true"/)
        expect(page.html).to.include(`value="${amount.replace('<b>', '&#60;b&#62;')}"`)
      }
    expect((await open(service, `${path}?amount=5&amount=6`)).status).to.equal(422)
    expect(await debits(service, merchant)).to.equal(0)
  })

  it("charges a FIXED intent's amount, whatever amount the form contains", async () => {
    const { merchant, referenceNumber, path } = await offer()
    await pay(await open(service, `${path}?amount=1`), { ...wallets.pays, amount: '0.01' })
    expect((await readIntent(service, merchant, referenceNumber)).payment.amountPaid).to.equal(50_000)
  })

  it('shows an error next to an invalid phone number or PIN', async () => {
    const form = await open(service, (await offer()).path)
    const both = await fill(form, { phone: 'no"phone', pin: '12' })
    expect(both.status).to.equal(422)
    expect(both.says).to.include('Enter your phone number').and.include('Enter your PIN')
    expect(both.html).to.include('value="no&#34;phone"')
    expect(both.html).to.include('<a href="#phone">')
    expect(both.html).to.include('<a href="#pin">')
    expect(both.html).to.match(/id="pin" name="pin" value=""/)
    const landline = await fill(form, { phone: '45 25 12 34', pin: '1234' })
    expect(landline.says).to.include('Enter your phone number: 8 digits').and.not.include('Enter your PIN')
    const one = await fill(form, { phone: '٢٢٠٠٠٠٠١', pin: '123456789' })
    expect(one.says).to.include('Enter your PIN').and.not.include('Enter your phone number')
    expect((await pay(one, { phone: '+222 22 00 00 01', pin: '١٢٣٤' })).says).to.include('Payment successful')
  })

  it('refuses the payment with a message if the intent was cancelled or expired after the form was shown', async () => {
    const { merchant, referenceNumber, path } = await offer()
    const late = await offer()
    const [form, lateForm] = [await open(service, path), await open(service, late.path)]
    await service.http.post(`/api/v1/dev/intents/${referenceNumber}/cancel`).set(merchant.write()).expect(200)
    expect((await pay(form, wallets.pays)).says).to.include('This payment request was cancelled.')
    // In an intent's last second, no payment starts, because another process may already see it as expired.
    service.clock.advance(24 * 3_600_000 - 500)
    expect((await pay(lateForm, wallets.pays)).says)
      .to.include('Time is up')
      .and.not.include('Enter your PIN')
    service.clock.advance(500)
    expect((await pay(lateForm, wallets.pays)).says).to.include('Time is up')
    expect(await debits(service, merchant)).to.equal(0)
    expect(await debits(service, late.merchant)).to.equal(0)
  })
})
