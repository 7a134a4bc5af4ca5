import { locales } from '../../src/checkout/locale.ts'
import { readIntent } from '../support/actions.ts'
import { fillIn, heading, pay, payer, send, textOf, withCounter } from './counter.ts'

/** Code point of the digit 0 in each language's script. */
const zeros = { fr: 0x30, ar: 0x660, en: 0x30 }

describe('A customer in a browser', () => {
  const counter = withCounter()
  afterEach(() => expect(counter.faults()).to.deep.equal([]))

  for (const locale of locales)
    for (const scripts of [true, false]) {
      const size = scripts ? 'desktop' : 'phone'
      const { words, code: language } = locale
      const settings = { size, scripts, language } as const
      const where = `${words.language}, ${size}${scripts ? '' : ', without scripts'}`
      const written = (digits: string) =>
        digits.replaceAll(/\d/g, (digit) => String.fromCharCode(zeros[language] + Number(digit)))
      it(`can enter a code, mistype and correct the PIN, pay, and return to the shop (${where})`, async () => {
        const { service, shop } = counter
        const merchant = await service.merchant()
        const { code, shortCode, referenceNumber } = await counter.order(merchant, {})
        const page = await counter.openWindow(settings)
        await page.goto(`/sandbox/${merchant.businessId}`)
        await fillIn(page, words.code.label, '12')
        await send(page)
        await page.getByRole('alert').getByText(words.faults.code).waitFor()
        await fillIn(page, words.code.label, written(`${code.slice(0, 3)} ${code.slice(3)}`))
        await send(page)
        await page.waitForURL(`**/p/${shortCode}?*`)
        expect(await textOf(page))
          .to.include(locale.money(50_000))
          .and.include('Panier n° 7')
        await pay(page, locale, { phone: written('22 00 00 01'), pin: '9999' })
        await page.getByRole('alert').getByText(words.faults.pinDoesNotFit).waitFor()
        expect(await page.getByLabel(words.pay.phone, { exact: true }).inputValue()).not.to.equal('')
        const pin = page.getByLabel(words.pay.pin, { exact: true })
        expect(await pin.inputValue()).to.equal('')
        await pin.fill(written(payer.pin))
        await send(page)
        await heading(page, words.panels.paid)
        expect(await textOf(page))
          .to.include(locale.money(50_000))
          .and.include(referenceNumber)
        await page.getByRole('link', { name: words.back.link }).click()
        await page.getByText('Welcome back').waitFor()
        const thanks = { url: `/thanks?order=7&reference=${referenceNumber}&status=PAID`, referrer: null }
        expect(shop.visits).to.deep.include(thanks)
        expect(page.url()).to.equal(`${shop.origin}${thanks.url}#top`)
        expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PAID' })
        expect(await counter.debits(merchant)).to.equal(1)
      })
      // Browsers are slow, so half of the combinations have to do.
      if (scripts === (language === 'ar')) continue
      it(`can choose an amount, and pay from another wallet after insufficient funds (${where})`, async () => {
        const { service } = counter
        const merchant = await service.merchant()
        const fields = { amountType: 'OPEN', amount: 20_000 }
        const { shortCode, referenceNumber } = await counter.order(merchant, fields)
        const page = await counter.openWindow(settings)
        await page.goto(`/p/${shortCode}`)
        const amount = page.getByLabel(words.typedAmount.label, { exact: true })
        expect(await amount.inputValue()).to.match(/^200[.,]00$/)
        await amount.fill('much')
        await send(page)
        await page.getByRole('alert').getByText(words.typedAmount.missing).waitFor()
        expect(await amount.inputValue()).to.equal('much')
        await amount.fill(written('1000'))
        await send(page)
        await page.getByText(locale.money(100_000)).first().waitFor()
        await page.getByRole('link', { name: words.pay.changeAmount }).click()
        await amount.fill(written('750.50'))
        await send(page)
        await page.getByText(locale.money(75_050)).first().waitFor()
        await pay(page, locale, { ...payer, phone: '22000003' })
        await page.getByRole('alert').getByText(words.notices.insufficient_funds).waitFor()
        await pay(page, locale, payer)
        await heading(page, words.panels.paid)
        const { status, payment } = await readIntent(service, merchant, referenceNumber)
        expect([status, payment.amountPaid]).to.deep.equal(['PAID', 75_050])
        expect(await counter.debits(merchant)).to.equal(1)
      })
    }

  it('is redirected to the shop five seconds after paying, unless they choose to stay', async () => {
    const [locale] = locales
    const { words } = locale
    const merchant = await counter.service.merchant()
    for (const stays of [false, true]) {
      const { shortCode } = await counter.order(merchant, {})
      const page = await counter.openWindow({ size: 'phone', language: locale.code })
      await page.clock.install()
      await page.goto(`/p/${shortCode}`)
      await pay(page, locale, payer)
      await page.getByText(words.back.leaving).waitFor()
      if (stays) {
        await page.getByRole('button', { name: words.back.stay }).click()
        // A link target within the page would reveal a redirect at once.
        await page.evaluate(`document.querySelector('[data-leave]').setAttribute('data-leave', '#left')`)
      }
      await page.clock.fastForward(6000)
      if (stays) {
        expect(await page.evaluate('location.hash')).to.equal('')
        expect(await page.getByText(words.back.leaving).isVisible()).to.equal(false)
      } else {
        await page.getByText('Welcome back').waitFor()
        await page.goBack()
        await heading(page, words.panels.paid)
        await page.clock.fastForward(6000)
        expect(await page.getByText(words.back.leaving).isVisible()).to.equal(false)
      }
      expect(page.url()).to.include(`/p/${shortCode}`)
    }
  })
})
