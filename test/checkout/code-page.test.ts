import { readable } from '../admin/staff.ts'
import { cancelIntent, createIntent, openSecondProcess, requestIntent } from '../support/actions.ts'
import { pay } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { withMerchant, withService } from '../support/service.ts'

describe('The payment code page', () => {
  const service = withService({
    PAY_URL: 'https://pay.shop.example',
    CODE_LIFETIME_SECONDS: '3600',
    TRUST_PROXY: '1',
  })
  const merchant = withMerchant(service)
  const live = withMerchant(service, { mode: 'live' })
  /** Each request comes from a new address, so that tests don't limit each other. */
  let addresses = 0
  const elsewhere = () => `198.51.100.${++addresses}`
  const headers = (from = elsewhere()) => ({ 'X-Forwarded-For': from, 'Accept-Language': 'en' })
  const look = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(service.origin + path, { headers: headers(), redirect: 'manual', ...init })
    const { status, headers: received } = response
    return { status, received, location: received.get('location'), text: await response.text() }
  }
  const enter = (path: string, code: string, from = elsewhere()) =>
    look(path, { method: 'POST', headers: headers(from), body: new URLSearchParams({ code }) })
  const sandbox = () => `/sandbox/${merchant.businessId}`
  const unknown = 'This code is not valid. Check it with the merchant.'
  /** A payment page's URL, signed as proof that the visitor isn't guessing. */
  const pageOf = (shortCode: string, lang: string) =>
    new RegExp(`^/p/${shortCode}\\?lang=${lang}&proof=[\\w-]{22}$`)
  const freeCode = (...taken: string[]) =>
    ['000000', '111111', '222222'].find((code) => !taken.includes(code)) ?? ''

  it('asks for a code at / and at /sandbox/{businessId}, and shows a test banner only at the latter', async () => {
    const [counter, trial] = [await look('/'), await look(sandbox())]
    for (const { status, text, received } of [counter, trial]) {
      expect(status).to.equal(200)
      expect(text).to.match(/<input id="code" name="code"[^>]* inputmode="numeric" autocomplete="off"/)
      expect(received.get('cache-control')).to.equal('no-store')
      expect(received.get('referrer-policy')).to.equal('no-referrer')
      expect(received.get('content-security-policy')).to.include("frame-ancestors 'none'")
    }
    expect(readable(counter.text)).not.to.include('Test')
    expect(trial.text).to.include('Test mode: no real money is taken.')
    expect((await look('/', { method: 'HEAD' })).status).to.equal(200)
  })

  it('redirects to the payment page in the chosen language, however the code is typed', async () => {
    const { code, shortCode } = await createIntent(service, merchant)
    const digits = (zero: number) =>
      Array.from(code, (digit) => String.fromCharCode(zero + Number(digit))).join('')
    const [three, rest] = [code.slice(0, 3), code.slice(3)]
    const written = [
      code,
      ` ${three} ${rest} `,
      `${three}-${rest}`,
      `${three}\u00a0–\u202f${rest}`,
      `\u2067${three}.${rest}\u2069`,
      digits(0x660),
      digits(0x6f0),
    ]
    for (const text of written) {
      const { status, location, text: body } = await enter(`${sandbox()}?lang=ar`, text)
      expect([status, body], text).to.deep.equal([303, ''])
      expect(location, text).to.match(pageOf(shortCode, 'ar'))
    }
    expect((await enter(sandbox(), code)).location).to.match(pageOf(shortCode, 'en'))
  })

  it('redirects to the payment page even while a payment is in progress', async () => {
    const { code, shortCode, referenceNumber } = await createIntent(service, merchant)
    const { wallets } = service.deps
    scriptedWallet(service)
    expect(await pay(service, referenceNumber)).to.deep.equal({ state: 'waiting' })
    service.deps.wallets = wallets
    expect((await enter(sandbox(), code)).location).to.match(pageOf(shortCode, 'en'))
  })

  it('redirects to the payment page from the codeUrl in every live and sandbox response', async () => {
    for (const owner of [merchant, live]) {
      const created = await requestIntent(service, owner)
      const { referenceNumber, shortCode, code } = created
      const read = await service.http
        .get(`/api/v1/dev/intents/${referenceNumber}`)
        .set(owner.read())
        .expect(200)
      const list = await service.http
        .get('/api/v1/dev/intents?status=PENDING&limit=1')
        .set(owner.read())
        .expect(200)
      for (const { codeUrl } of [created, read.body.data, list.body.data.items[0]]) {
        expect(codeUrl).to.match(/^https:\/\/pay\.shop\.example\//)
        const path = new URL(codeUrl).pathname
        expect((await look(path)).text).to.include(`action="${path}`)
        expect((await enter(path, code)).location).to.match(pageOf(shortCode, 'en'))
      }
    }
  })

  it('redirects to the payment page even from an address that opened too many unknown links', async () => {
    const { code } = await createIntent(service, merchant)
    const from = elsewhere()
    expect((await look('/p/222222', { headers: headers(from) })).status).to.equal(404)
    await service.deps.Counter.updateOne({ _id: `link ${from}/32` }, { used: 300 })
    expect((await look('/p/222222', { headers: headers(from) })).status).to.equal(429)
    const { location } = await enter(sandbox(), code, from)
    expect((await look(String(location), { headers: headers(from) })).status).to.equal(200)
  })

  it("accepts live codes only at /, and test codes only on their own business's sandbox page", async () => {
    const [trial, real] = [await createIntent(service, merchant), await createIntent(service, live)]
    expect((await enter('/', real.code)).location).to.match(pageOf(real.shortCode, 'en'))
    expect((await enter(sandbox(), trial.code)).location).to.match(pageOf(trial.shortCode, 'en'))
    const kept = [
      ['/', trial.code],
      [`/sandbox/${live.businessId}`, real.code],
      [`/sandbox/${live.businessId}`, trial.code],
      [sandbox(), real.code],
    ] as const
    for (const [path, code] of kept) expect((await enter(path, code)).status, path).to.equal(422)
  })

  it('shows the same message for unknown, paid, cancelled and expired codes', async () => {
    const [cancelled, paid, expired] = [
      await createIntent(service, merchant),
      await createIntent(service, merchant),
      await createIntent(service, merchant),
    ]
    await cancelIntent(service, merchant, cancelled.referenceNumber)
    await service.http
      .post(`/api/v1/dev/intents/${paid.referenceNumber}/simulate-payment`)
      .set(merchant.write())
      .send({})
      .expect(200)
    expect((await enter(sandbox(), expired.code)).status).to.equal(303)
    service.clock.advance(3_600_000)
    const free = freeCode(cancelled.code, paid.code, expired.code)
    const nowhere = `/sandbox/${'0'.repeat(24)}`
    const responseTo = async (path: string, code: string) => {
      const { status, text } = await enter(path, code)
      return { status, text: text.replaceAll(path, '…').replaceAll(code, '······') }
    }
    const first = await responseTo(sandbox(), free)
    expect(first.status).to.equal(422)
    expect(readable(first.text)).to.include(unknown)
    for (const { code } of [cancelled, paid, expired])
      expect(await responseTo(sandbox(), code)).to.deep.equal(first)
    expect(await responseTo(nowhere, free)).to.deep.equal(first)
    const form = (await look(sandbox())).text.replaceAll(sandbox(), '…')
    expect((await look(nowhere)).text.replaceAll(nowhere, '…')).to.equal(form)
  })

  it('never reveals which businesses exist: all sandbox pages share one limit on wrong codes per network', async () => {
    const { code } = await createIntent(service, merchant)
    const nowhere = (index: number) => `/sandbox/${String(index).padStart(24, '0')}`
    const pages = [sandbox(), ...[1, 2, 3].map(nowhere), `/sandbox/${live.businessId}`]
    const from = elsewhere()
    const seenAt = async (path: string, typed: string) => {
      const { status, text, received } = await enter(path, typed, from)
      const shown = [...received].filter(([name]) => !['date', 'x-request-id'].includes(name))
      return { status, shown, text: text.replaceAll(path, '…') }
    }
    for (const limited of [false, true]) {
      const first = await seenAt(sandbox(), freeCode(code))
      expect(first.status).to.equal(limited ? 429 : 422)
      for (const path of pages) expect(await seenAt(path, freeCode(code)), path).to.deep.equal(first)
      if (limited) expect(await seenAt(sandbox(), code)).to.deep.equal(first)
      else for (let miss = 6; miss < 30; miss += 1) await enter(nowhere(miss), freeCode(code), from)
    }
    expect((await enter(sandbox(), code)).status).to.equal(303)
  })

  it("marks the field as invalid and keeps what the customer typed if it isn't a code", async () => {
    const noCodes = ['', '12345', '1234567', 'abcdef', '12 34 5x', '"><script>alert(1)</script>', '-1e5.0']
    for (const typed of noCodes) {
      const { status, text } = await enter('/', typed)
      expect(status, typed).to.equal(422)
      expect(text).to.match(/<title>Error: Pay with a code<\/title>/)
      expect(text).to.match(/aria-describedby="code-hint code-fault" aria-invalid="true"/)
      expect(readable(text)).to.include('Enter the 6 digits of the code')
      expect(text).not.to.include('<script>alert')
      const value = /name="code" value="([^"]*)"/.exec(text)?.[1] ?? 'none'
      const kept = value.replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCharCode(Number(point)))
      expect(kept).to.equal(typed)
    }
  })

  it("says in the customer's language that the service is unavailable if MongoDB is down", async () => {
    const beside = await openSecondProcess(service)
    await beside.deps.mongo.close()
    const body = new URLSearchParams({ code: '123456' })
    const response = await fetch(`${beside.origin}/?lang=ar`, { method: 'POST', body })
    expect([response.status, response.headers.has('retry-after')]).to.deep.equal([503, true])
    expect(await response.text())
      .to.match(/<html lang="ar" dir="rtl">/)
      .and.include('الخدمة غير متاحة')
    await beside.close()
  })

  it('responds to any form with an HTML page, and never with a stack trace, JSON or a 5xx status', async () => {
    const post = (body: string, type: string, more: Record<string, string> = {}) =>
      look('/', { method: 'POST', body, headers: { ...headers(), 'Content-Type': type, ...more } })
    const form = 'application/x-www-form-urlencoded'
    const odd: [status: number, pending: ReturnType<typeof look>][] = [
      [422, post('', form)],
      [422, post('code=123456&code=123456', form)],
      [422, post('code[]=123456', form)],
      [422, post('code[$ne]=1&__proto__[code]=123456', form)],
      [422, post('code=%00%ff%ed%a0%80', form)],
      [422, post(`code=${'1'.repeat(8000)}`, form)],
      [422, post('a&'.repeat(4000), form)],
      [422, post('{"code":"123456"}', 'application/json')],
      [413, post(`code=${'1'.repeat(9000)}`, form)],
      [415, post('code=1', `${form}; charset=utf-7`)],
      [415, post('x', form, { 'Content-Encoding': 'gzip' })],
      [403, post('code=123456', form, { Origin: 'https://evil.example' })],
      [403, post('code=123456', form, { 'Sec-Fetch-Site': 'cross-site' })],
      [404, look('/sandbox/nobody')],
      [404, look('/sandbox/')],
      [404, look('/sandbox/%00')],
      [404, look(`${sandbox()}/`)],
      [404, look('/', { method: 'DELETE' })],
    ]
    for (const [status, pending] of odd) {
      const { text, received, status: got } = await pending
      expect(got, text).to.equal(status)
      expect(received.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(text).to.match(/^<!doctype html>/)
      expect(text).to.not.match(/\n\s+at |node_modules/)
    }
  })
})
