import type { Page } from 'playwright-core'
import { locales } from '../../src/checkout/locale.ts'
import { readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import type { Merchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { fillIn, heading, pay, payer, send, withCounter } from './counter.ts'

const [locale] = locales
const { words } = locale
const [waiting] = words.panels.waiting
const [expired] = words.panels.expired

describe('A payment in a browser', () => {
  const counter = withCounter()
  let merchant: Merchant
  beforeEach(async () => void (merchant = await counter.service.merchant()))
  afterEach(() => expect(counter.faults()).to.deep.equal([]))
  const open = async (path: string, scripts = true): Promise<Page> => {
    const page = await counter.openWindow({ size: 'phone', scripts, language: locale.code })
    await page.goto(path)
    return page
  }
  const order = async () => {
    const created = await counter.order(merchant, {})
    return { ...created, path: `/p/${created.shortCode}` }
  }
  const fill = async (page: Page) => {
    await fillIn(page, words.pay.phone, payer.phone)
    await fillIn(page, words.pay.pin, payer.pin)
  }
  const expectPaidOnce = async (referenceNumber: string) => {
    expect(await readIntent(counter.service, merchant, referenceNumber)).to.include({ status: 'PAID' })
    expect(await counter.debits(merchant)).to.equal(1)
  }
  /** Every payment waits at the wallet until `release` is called. */
  function holdWallet() {
    const { wallets } = counter.service.deps
    const [gate, arrived] = [createGate(), createGate()]
    counter.service.deps.wallets = {
      ...wallets,
      forPayments(sandbox) {
        const wallet = wallets.forPayments(sandbox)
        if (wallet === null) return null
        const authorise: typeof wallet.authorise = async (paymentOrder) => {
          arrived.open()
          await gate.passed
          return wallet.authorise(paymentOrder)
        }
        return { ...wallet, authorise }
      },
    }
    const release = () => {
      counter.service.deps.wallets = wallets
      gate.open()
    }
    return { arrived: arrived.passed, release }
  }

  for (const scripts of [true, false])
    it(`appears in a waiting tab once it has been made in another tab${scripts ? '' : ' (without scripts)'}`, async () => {
      const { path, referenceNumber } = await order()
      const [first, second] = [await open(path, scripts), await open(path, scripts)]
      const wallet = holdWallet()
      await fill(first)
      const sent = send(first)
      await wallet.arrived
      // With scripts, the tab updates itself. Without them, a customer who also pays there sees that it's in progress.
      if (!scripts) await pay(second, locale, payer)
      await heading(second, waiting)
      wallet.release()
      await sent
      await heading(first, words.panels.paid)
      await heading(second, scripts ? words.panels.paid : words.panels.paidBefore[0])
      await expectPaidOnce(referenceNumber)
    })

  for (const scripts of [true, false])
    it(`is charged only once if the customer double-clicks${scripts ? '' : ' (without scripts)'}`, async () => {
      const { path, referenceNumber } = await order()
      const page = await open(path, scripts)
      await fill(page)
      await page.locator('form button').dblclick()
      await heading(page, words.panels.paid)
      await expectPaidOnce(referenceNumber)
    })

  it('is not submitted again when the customer goes back or refreshes', async () => {
    const { path, referenceNumber } = await order()
    const page = await open(path)
    await pay(page, locale, payer)
    await heading(page, words.panels.paid)
    await page.reload()
    await heading(page, words.panels.paid)
    await page.goBack()
    await heading(page, words.panels.paid)
    await page.goForward()
    await page.reload()
    await heading(page, words.panels.paid)
    await expectPaidOnce(referenceNumber)
  })

  it('is shown as paid when the customer reopens the page after a lost response', async () => {
    const { path, referenceNumber } = await order()
    const page = await open(path)
    await page.route('**/p/*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch({ maxRedirects: 0 })
      await route.abort('connectionreset')
    })
    await pay(page, locale, payer)
    await waitFor('paid', async () => {
      return (await readIntent(counter.service, merchant, referenceNumber)).status === 'PAID'
    })
    // Otherwise the browser's own error page could replace the next page.
    await page.waitForURL(/^chrome-error:/)
    await page.goto(path)
    await heading(page, words.panels.paid)
    await expectPaidOnce(referenceNumber)
  })

  for (const scripts of [true, false])
    it(`expires while the page is open${scripts ? '' : ' (without scripts)'}`, async () => {
      const { path, referenceNumber } = await order()
      const page = await open(path, scripts)
      await fill(page)
      counter.service.clock.advance(86_400_000)
      if (!scripts) await send(page)
      await heading(page, expired)
      expect(await readIntent(counter.service, merchant, referenceNumber)).to.include({ status: 'CANCELLED' })
      expect(await counter.debits(merchant)).to.equal(0)
    })
})
