import { checkoutAssets as served } from '../../src/checkout/layout.ts'
import { crlf, sendRaw } from '../api/raw-request.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { fill, open, pay, seen, wallets } from './customer.ts'

const back = {
  success_url: 'https://shop.example/ok?a=%20b&flag&status=x#end',
  cancel_url: 'https://shop.example/no',
}

describe('The payment page', () => {
  const { service, merchant } = withServiceAndMerchant({ COMMISSION_PAYER_BPS: '0' })
  const offer = async (fields: object = {}, owner = merchant) => {
    const intent = await createIntent(service, owner, { amount: 123_450, label: 'Thé & sucre', ...fields })
    return { ...intent, path: `/p/${intent.shortCode}` }
  }
  const refund = (referenceNumber: string, amount: number) =>
    service.http
      .post(`/api/v1/dev/intents/${referenceNumber}/refund`)
      .set(merchant.write())
      .send({ amount })
      .expect(200)
  const state = async (path: string): Promise<{ state: string; left: string }> =>
    JSON.parse((await open(service, `${path}/status`)).html)
  const linkOf = ({ html }: { html: string }) =>
    /href="(https:[^"]+)" rel="noreferrer"/.exec(html)?.[1]?.replaceAll('&#38;', '&').replaceAll('&#61;', '=')

  it('shows the merchant, the amount, the deadline and a notice that a test moves no real money', async () => {
    const { path } = await offer()
    const page = await open(service, path)
    expect(page.status).to.equal(200)
    const ofMerchant = ['Épicerie', 'Thé & sucre']
    for (const words of [
      ...ofMerchant,
      'Test mode: no real money is taken.',
      'Pay 1,234.50 MRU',
      '23 h 59 min left',
    ])
      expect(page.says.includes(words) || page.html.includes(words), words).to.equal(true)
    expect(page.html).to.include('autocomplete="tel"')
    expect(page.html).to.match(/type="password" inputmode="numeric" autocomplete="off"/)
    expect(await state(path)).to.deep.equal({
      state: 'pending',
      left: '23\u00a0h 59\u00a0min',
      isCodeActive: true,
    })
    expect((await open(service, path.toLowerCase())).says).to.include('Pay 1,234.50 MRU')
  })

  const languages = [
    ['fr', 'ltr', 'Payer <bdi dir="ltr">1\u202f234,50\u00a0MRU</bdi>'],
    ['ar', 'rtl', 'دفع <bdi dir="ltr">1\u202f234,50\u00a0MRU</bdi>'],
    ['en', 'ltr', 'Pay <bdi dir="ltr">1,234.50\u00a0MRU</bdi>'],
  ] as const
  for (const [lang, dir, heading] of languages)
    it(`is in ${lang}, like the pages that follow, if the URL or the browser requests that language`, async () => {
      const { path } = await offer()
      const preferred = await open(service, path, { 'Accept-Language': `de, ${lang}-MR;q=0.8, fr;q=0.1` })
      const chosen = await open(service, `${path}?lang=${lang}`)
      for (const { html } of [preferred, chosen]) {
        expect(html).to.include(`<html lang="${lang}" dir="${dir}">`).and.include(`<h1>${heading}</h1>`)
        expect(html).to.match(/lang&#61;ar&#38;proof&#61;[\w-]{22}" lang="ar"/)
        expect(html).to.include(`lang="${lang}" hreflang="${lang}" dir="${dir}" aria-current="true"`)
      }
      const refused = await fill(chosen, wallets.poor)
      const paid = await pay(refused, wallets.pays)
      const lost = await open(service, `/p/zzz?lang=${lang}`)
      for (const { html } of [refused, paid, lost])
        expect(html).to.include(`<html lang="${lang}" dir="${dir}">`)
    })

  it('is in French if the browser accepts none of the supported languages', async () => {
    const { path } = await offer()
    for (const [query, wanted] of Object.entries({ '': 'de', '?lang=de': 'zh', '?lang=fr&lang=en': '' })) {
      const { html } = await open(service, path + query, { 'Accept-Language': wanted })
      expect(html, query).to.include('<html lang="fr"')
    }
  })

  it('shows each final status with the correct return link and without a form', async () => {
    const reference = 'reference=PI-'
    type Offered = Awaited<ReturnType<typeof offer>>
    const ended = async (shown: string, link: string | null, { path, referenceNumber }: Offered) => {
      const page = await open(service, path)
      expect(page.status).to.equal(200)
      expect(page.says).to.include(shown).and.include(referenceNumber)
      expect(page.html).not.to.include('<form')
      expect(linkOf(page)).to.equal(link?.replace(reference, `reference=${referenceNumber}`))
    }
    const paid = await offer(back)
    await pay(await open(service, paid.path), wallets.pays)
    const date = (await open(service, paid.path)).says.match(/Date (.*?) For/)?.[1]
    const shown = (words: string) =>
      `${words} Merchant Épicerie Date ${date} For Thé & sucre Amount 1,234.50 MRU`
    const thanks = `https://shop.example/ok?a=%20b&flag&status=x&${reference}&status=PAID#end`
    await ended(shown('Payment successful'), thanks, paid)
    await refund(paid.referenceNumber, 23_450)
    const refunded = thanks.replace('PAID', 'REFUNDED')
    await ended(`${shown('partly refunded')} Refunded 234.50 MRU`, refunded, paid)
    await refund(paid.referenceNumber, 100_000)
    await ended(`${shown('Payment refunded')} Refunded 1,234.50 MRU`, refunded, paid)
    const cancelled = await offer(back)
    await cancelIntent(service, merchant, cancelled.referenceNumber)
    await ended('Payment cancelled', `https://shop.example/no?${reference}&status=CANCELLED`, cancelled)
    const failed = await offer()
    await pay(await open(service, failed.path), wallets.broken)
    await ended('The payment failed', null, failed)
    const expired = await offer(back)
    service.clock.advance(24 * 3_600_000)
    await ended('Time is up', `https://shop.example/no?${reference}&status=CANCELLED`, expired)
    const states = await Promise.all([paid, cancelled, failed, expired].map(({ path }) => state(path)))
    expect(states.map((each) => each.state)).to.deep.equal(['refunded', 'cancelled', 'failed', 'expired'])
  })

  it("leaves the payment PENDING when the customer follows the link to the merchant's cancel URL", async () => {
    const { path, referenceNumber } = await offer(back)
    expect(linkOf(await open(service, path))).to.equal(
      `https://shop.example/no?reference=${referenceNumber}&status=PENDING`,
    )
    expect(linkOf(await open(service, (await offer()).path))).to.equal(undefined)
    expect((await state(path)).state).to.equal('pending')
  })

  it('redirects a customer to the shop only if they paid, and only right after the payment', async () => {
    const { path } = await offer(back)
    const own = await pay(await open(service, path), wallets.pays)
    expect(own.html).to.match(
      /data-leave="https:\/\/shop\.example\/ok[^"]*" data-here="\/p\/\w+\?lang&#61;en&#38;proof&#61;[\w-]+"/,
    )
    for (const query of ['', `?sent=${'0'.repeat(24)}`, '?sent=x&sent=y'])
      expect((await open(service, path + query)).html).not.to.include('data-leave')
  })

  it('omits a label that has no visible text', async () => {
    const [blank, given] = [await offer({ label: ' \u00a0\t' }), await offer()]
    expect((await open(service, given.path)).html).to.include('<dt>For</dt>')
    expect((await open(service, blank.path)).html).not.to.include('<dt>For</dt>')
    await pay(await open(service, blank.path), wallets.pays)
    expect((await open(service, blank.path)).html).not.to.include('<dt>For</dt>')
  })

  it("escapes the merchant's name and label and keeps their text direction", async () => {
    const label = '\u202e<script>alert(1)</script> "\u2067سلة\' 😀'
    await service.deps.Business.updateOne({ _id: merchant.businessId }, { name: '<b>\u202e&' })
    const { html } = await open(service, (await offer({ label })).path)
    await service.deps.Business.updateOne({ _id: merchant.businessId }, { name: 'Épicerie' })
    expect(html).to.include('<bdi>&#60;b&#62;\u202e&#38;</bdi>')
    const escaped = '\u202e&#60;script&#62;alert(1)&#60;/script&#62; &#34;\u2067سلة&#39; 😀'
    expect(html).to.include(`<bdi>${escaped}</bdi>`)
  })

  it('never offers a test wallet for a live payment', async () => {
    const { path } = await offer(back, await service.merchant({ mode: 'live' }))
    const page = await open(service, path)
    expect([page.status, page.headers.get('retry-after')]).to.deep.equal([503, '60'])
    expect(page.says).to.include('Payment is not available right now').and.not.include('Test')
    expect(page.html).not.to.include('<form')
    const url = service.origin + path
    const sent = await seen(url, { method: 'POST', body: new URLSearchParams({ ...wallets.pays }) })
    expect(sent.status).to.equal(303)
    expect((await state(path)).state).to.equal('unavailable')
  })

  it('forbids caching, framing and referrers, and loads only small assets from the service itself', async () => {
    const { path } = await offer()
    const page = await open(service, path)
    for (const { headers } of [
      page,
      await open(service, `${path}/status`),
      await open(service, '/p/nothing'),
      await fill(page, {}),
    ])
      expect(Object.fromEntries(headers)).to.include({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'content-security-policy':
          "default-src 'none';style-src 'self';script-src 'self';connect-src 'self';img-src data:;form-action 'self';frame-ancestors 'none';base-uri 'none'",
      })
    const loaded = [...page.html.matchAll(/(?:src|href)="(\/pay\/[^"]+)"/g)].map(([, asset]) => String(asset))
    expect(loaded).to.deep.equal(served.map((asset) => asset.path))
    const assets = await Promise.all(loaded.map((asset) => open(service, asset)))
    expect(assets.map(({ headers }) => headers.get('cache-control'))).to.deep.equal(
      loaded.map(() => 'public, max-age=31536000, immutable'),
    )
    expect(assets.map(({ headers }) => headers.get('content-type'))).to.deep.equal([
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
    ])
    const bytes = [page, ...assets].reduce((sum, { html }) => sum + Buffer.byteLength(html), 0)
    expect(bytes).to.be.lessThan(15_000)
    expect(page.html).not.to.match(/<(style|img|iframe)|\son\w+=|style=/)
  })

  it('responds to HEAD and returns 404 for unknown pages and unsupported methods', async () => {
    const { path } = await offer()
    const url = service.origin + path
    const head = await seen(url, { method: 'HEAD' })
    expect([head.status, head.html]).to.deep.equal([200, ''])
    const unknown = ['/p/ABCDEF', '/p/abc', '/p', '/p/', `${path}/x`, '/p/%00', '/p/%F0%9F%98%80']
    const nothing = [
      ...[...unknown, '/pay/x.css', '/sandbox/x/y'].map((other) => [service.origin + other, 'GET'] as const),
      ...['PUT', 'DELETE', 'PATCH'].map((method) => [url, method] as const),
      [`${url}/status`, 'POST'] as const,
    ]
    for (const [address, method] of nothing) {
      const page = await seen(address, { method, headers: { 'Accept-Language': 'en' } })
      expect([page.status, page.headers.get('content-type')], `${method} ${address}`).to.deep.equal([
        404,
        'text/html; charset=utf-8',
      ])
      expect(page.says).to.include('Page not found')
      if (method !== 'GET') expect(page.headers.get('allow')).to.match(/^GET, HEAD/)
    }
    expect((await open(service, '/p/%E0%A4%A')).status).to.equal(400)
  })

  const stops = ". ... , ) %5D %3E %22 ! ; ' %E2%80%A6 %C2%BB. %20 %C2%A0 %E2%80%8B %EF%BB%BF".split(' ')
  const others = '/ // ./ %2F %0A %09 % %A0 %C2 %D8%8C %F0%9F%99%8F %E2%80%8F%29%C2%A0 _* %00'.split(' ')
  it('redirects a link followed by punctuation, spaces or format characters to the link without them', async () => {
    const { path } = await offer()
    const misses = () => service.deps.Counter.find().lean()
    const before = await misses()
    for (const end of [...stops, ...others, '.'.repeat(9000)])
      for (const [to, query] of [
        [path, ''],
        [`${path.toLowerCase()}/qr.svg`, '?lang=ar&x=//evil.example'],
      ] as const) {
        const { status, location } = await seen(service.origin + to + end + query, {})
        expect([status, location], to + end).to.deep.equal([303, to + query])
      }
    expect((await open(service, `${path}./qr`)).location).to.equal(`${path}/qr`)
    expect((await open(service, `${path}.`, { method: 'HEAD' })).status).to.equal(303)
    for (const raw of ['\\', '|', '"', '`', '^}', '<']) {
      const [response] = await sendRaw(
        service.origin,
        crlf(`GET ${path}${raw} HTTP/1.1`, 'Host: a', 'Connection: close', '', ''),
      )
      expect([response?.status, response?.headers.get('location')], raw).to.deep.equal([303, path])
    }
    expect(await misses()).to.deep.equal(before)
    for (const wrong of [
      '/p/222222x.',
      `${path}/other.`,
      `${path}.x`,
      '/p//evil.example',
      '/p/.',
      '/p/%2F%2Fevil.example/',
    ])
      expect((await open(service, wrong)).status, wrong).to.equal(404)
    expect((await seen(`${service.origin}${path}.`, { method: 'POST' })).status).to.equal(404)
  })

  it('accepts a form unless the browser reports that it comes from another site', async () => {
    const { path } = await offer()
    const form = await open(service, path)
    const ours = new URL(service.origin).host
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'null' },
      { Origin: 'https://evil.example' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'x' },
      { Origin: `http://${ours}.evil.example` },
    ]
    for (const headers of foreign) {
      const page = await fill(form, wallets.pays, headers)
      expect(page.status, JSON.stringify(headers)).to.equal(403)
      expect(page.says).to.include('You have not been charged.')
      expect(page.html).to.match(new RegExp(`href="${path}\\?lang&#61;en&#38;proof&#61;[\\w-]{22}"`))
    }
    expect((await state(path)).state).to.equal('pending')
    const own: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: `http://${ours}` },
      { Origin: 'http://pay.localhost:3000' },
    ]
    for (const headers of own) {
      const page = await fill(form, { phone: '', pin: '' }, headers)
      expect(page.status, JSON.stringify(headers)).to.equal(422)
    }
  })
})
