import { decode as decodePng } from 'fast-png'
import decodeQr from 'qr/decode.js'
import { cancelIntent, changeAsOperator } from '../support/actions.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { offerOf, open, pay, seen, wallets } from './customer.ts'

const payUrl = 'https://pay.shop.example'

describe('The QR code page', () => {
  const { service, merchant } = withServiceAndMerchant({ PAY_URL: payUrl, CODE_LIFETIME_SECONDS: '3600' })
  const offer = (fields: object = {}) => offerOf(service, merchant, { label: 'Panier n° 7', ...fields })
  const statusOf = async (path: string) => JSON.parse((await open(service, `${path}/status`)).html)
  /** Decodes a QR code of black and white squares. `isBlack` reads a pixel. */
  const textOf = (width: number, isBlack: (x: number, y: number) => boolean): string => {
    const data = new Uint8Array(width * width * 4)
    for (let at = 0; at < width * width; at += 1)
      data.fill(isBlack(at % width, Math.floor(at / width)) ? 0 : 255, at * 4, at * 4 + 4)
    return decodeQr({ width, height: width, data })
  }
  const textOfPng = (bytes: Uint8Array): string => {
    const { width, data } = decodePng(bytes)
    const perRow = Math.ceil(width / 8)
    return textOf(width, (x, y) => ((data[y * perRow + (x >> 3)] ?? 0) & (128 >> (x & 7))) === 0)
  }
  const textOfSvg = (svg: string): string => {
    const [, width = ''] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? []
    const black = new Set(Array.from(svg.matchAll(/M(\d+),(\d+)h1v1h-1z/g), ([, x, y]) => `${x} ${y}`))
    const scale = 4
    return textOf(Number(width) * scale, (x, y) =>
      black.has(`${Math.floor(x / scale)} ${Math.floor(y / scale)}`),
    )
  }

  it('shows the merchant, the amount, the payment code and a QR code with the payment link', async () => {
    const { path, code, shortCode } = await offer()
    const page = await open(service, `${path}/qr`)
    expect(page.status).to.equal(200)
    const typed = `Or open pay.shop.example/sandbox/${merchant.businessId} and enter this code: ${code.slice(0, 3)} ${code.slice(3)}`
    const amounts = ['Scan to pay 505.00 MRU', 'Amount 500.00 MRU Fee 5.00 MRU Total 505.00 MRU']
    for (const words of [...amounts, 'Épicerie', 'Panier n° 7', typed, '23 h 59 min left'])
      expect(page.says.replaceAll('\u00a0', ' ')).to.include(words)
    expect(page.html).not.to.match(/<(form|img)/)
    expect(textOfSvg(page.html)).to.equal(`${payUrl}/p/${shortCode}`)
    const links = [...page.html.matchAll(/href="([^"]+)" download/g)].map(([, link = '']) =>
      link.replaceAll(/&#(\d+);/g, (_, n) => String.fromCharCode(n)),
    )
    const [svg, png] = await Promise.all(links.map((link) => fetch(service.origin + link)))
    if (svg === undefined || png === undefined) throw new Error('two links to images expected')
    expect([svg.headers.get('content-type'), png.headers.get('content-type')]).to.deep.equal([
      'image/svg+xml',
      'image/png',
    ])
    expect(textOfSvg(await svg.text())).to.equal(`${payUrl}/p/${shortCode}`)
    expect(textOfPng(new Uint8Array(await png.arrayBuffer()))).to.equal(`${payUrl}/p/${shortCode}`)
  })

  it('shows no amount for an OPEN intent and no code once the code has expired', async () => {
    const { path, code } = await offer({ amountType: 'OPEN', amount: 12_300 })
    const page = await open(service, `${path}/qr`)
    expect(page.says).to.include('Scan to pay Merchant').and.not.include('123.00')
    expect(page.html).to.include('data-code')
    expect(await statusOf(path)).to.include({ state: 'pending', isCodeActive: true })
    service.clock.advance(service.deps.config.codeLifetimeMs)
    expect(await statusOf(path)).to.include({ state: 'pending', isCodeActive: false })
    const later = await open(service, `${path}/qr`)
    expect(later.html).to.include('<svg').and.not.include('data-code')
    expect(later.says).not.to.include(`${code.slice(0, 3)} ${code.slice(3)}`)
  })

  it('updates itself when the intent can no longer be paid, and then shows the reason', async () => {
    const [paid, cancelled] = [await offer(), await offer()]
    const counter = await open(service, `${paid.path}/qr?lang=ar`)
    const [, here = ''] = /data-state="pending" data-here="([^"]+)"/.exec(counter.html) ?? []
    expect(here).to.match(new RegExp(`^${paid.path}/qr\\?lang&#61;ar&#38;proof&#61;`))
    expect(counter.html).to.match(new RegExp(`href="${paid.path}/qr\\?lang&#61;en`))
    await pay(await open(service, paid.path), wallets.pays)
    await cancelIntent(service, merchant, cancelled.referenceNumber)
    expect(await statusOf(paid.path)).to.include({ state: 'paid' })
    for (const [{ path }, words] of [
      [paid, 'Payment successful'],
      [cancelled, 'Payment cancelled'],
    ] as const) {
      const page = await open(service, `${path}/qr`)
      expect([page.status, page.html.includes('<svg')]).to.deep.equal([200, false])
      expect(page.says).to.include(words)
      for (const image of ['qr.svg', 'qr.png']) {
        const gone = await open(service, `${path}/${image}`)
        expect([gone.status, gone.headers.get('content-type')]).to.deep.equal([
          410,
          'text/html; charset=utf-8',
        ])
        expect(gone.says).to.include(words)
      }
    }
  })

  it('shows no QR code while the business is suspended', async () => {
    const suspended = await service.merchant()
    const { path } = await offerOf(service, suspended)
    await changeAsOperator(service, suspended.businessId, { suspended: true })
    for (const name of ['qr', 'qr.svg', 'qr.png'])
      expect((await open(service, `${path}/${name}`)).status).to.equal(503)
  })

  it('has the same headers, methods and limits as the payment page', async () => {
    const { path } = await offer()
    const headersOf = async (url: string) => {
      const { headers } = await open(service, url)
      const names = ['content-security-policy', 'cache-control', 'referrer-policy', 'x-robots-tag']
      return [...names, 'x-frame-options'].map((name) => headers.get(name))
    }
    const expected = await headersOf(path)
    for (const name of ['qr', 'qr.svg', 'qr.png']) {
      expect(await headersOf(`${path}/${name}`)).to.deep.equal(expected)
      const url = `${service.origin}${path}/${name}`
      const head = await seen(url, { method: 'HEAD' })
      expect([head.status, head.html]).to.deep.equal([200, ''])
      const posted = await seen(url, { method: 'POST' })
      expect([posted.status, posted.headers.get('allow')]).to.deep.equal([404, 'GET, HEAD'])
      expect((await open(service, `/p/222222/${name}`)).status).to.equal(404)
    }
    const known = (await open(service, `${path}/qr`)).html.match(/proof&#61;([\w-]+)/)?.[1]
    const misses = await service.deps.Counter.updateOne({ _id: 'link 127.0.0.1/32' }, { used: 299 })
    expect(misses.matchedCount).to.equal(1)
    expect((await open(service, '/p/222222/qr.png')).status).to.equal(404)
    expect((await open(service, `${path}/qr.png`)).status).to.equal(429)
    expect((await open(service, `${path}/qr.png?proof=${known}`)).status).to.equal(200)
  })
})
