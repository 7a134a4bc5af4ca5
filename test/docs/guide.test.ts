import { readdirSync } from 'node:fs'
import { type HTMLElement, parse } from 'node-html-parser'
import { frenchCheckoutTexts } from '../../src/checkout/words/fr.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { withService } from '../support/service.ts'

const names = readdirSync('docs/merchants', { recursive: true, encoding: 'utf8' })
const paths = names
  .filter((name) => name.endsWith('.md'))
  .map((name) => `/docs/${name.slice(0, -'.md'.length)}`.replace('/README', ''))
const operations = apiRoutes.map(({ tag, operationId }) => `/${encodeURIComponent(tag)}/${operationId}`)
const publicUrl = 'https://money.example'
const placeholders = /\$SERVICE|pay\.example|localhost:3000|api\.payments\.example|[xX]-[sS]ervice-/

describe("The merchants' guide on /docs", () => {
  const service = withService({ PUBLIC_URL: publicUrl, WEBHOOK_HEADER_BRAND: 'Acme' })
  const pages = new Map<string, HTMLElement>()
  before(async () => {
    for (const path of paths) {
      const { text } = await service.http
        .get(path)
        .expect(200)
        .expect('content-type', /^text\/html/)
      expect(text, path).to.not.match(placeholders)
      pages.set(path, parse(text, { blockTextElements: {} }))
    }
  })
  const find = (path: string, selector: string) => pages.get(path)?.querySelectorAll(selector) ?? []
  const hrefsIn = (path: string, selector: string) =>
    find(path, selector).map(({ attributes }) => attributes.href ?? attributes.src ?? '')

  it('has each page at the name of its file, for GET and HEAD only', async () => {
    expect(paths).to.include.members(['/docs', '/docs/quickstart', '/docs/webhooks'])
    for (const path of paths) {
      const { headers } = await service.http.head(path).expect(200)
      expect(headers['cache-control']).to.equal('public, max-age=300')
      expect(headers['content-security-policy']).to.include("default-src 'none';style-src 'self'")
    }
    const { headers, body } = await service.http.post('/docs/quickstart').expect(404)
    expect([headers.allow, body.error.code]).to.deep.equal(['GET, HEAD', 'ENDPOINT_NOT_FOUND'])
    for (const path of ['/docs/', '/docs/nothing', '/docs/README', '/docs/guide.json'])
      await service.http.get(path).expect(404)
  })

  it('contains only links that lead somewhere, and anchors that exist', async () => {
    const statuses = new Map<string, number>()
    for (const path of paths)
      for (const href of hrefsIn(path, '[href], [src]').filter((each) => !/^(https|data):/.test(each))) {
        const [to = '', id] = (href.startsWith('#') ? path + href : href).split('#')
        if (!statuses.has(to)) statuses.set(to, (await service.http.get(to)).status)
        const where = `${href} on ${path}`
        expect(statuses.get(to), where).to.equal(200)
        if (to === '/docs/api' && id !== undefined) expect(operations, where).to.include(id)
        else if (id !== undefined)
          expect(find(to, `[id="${decodeURIComponent(id)}"]`), where).to.have.length(1)
      }
    expect([...statuses.keys()]).to.include('/docs/webhook-signatures.json')
    expect(hrefsIn('/docs/take-a-payment', 'img[alt]')[0]).to.match(/^data:image\/webp;base64,\w/)
    expect(hrefsIn('/docs/reference', '[href^="/docs/api#"]')).to.have.length.at.least(operations.length - 1)
  })

  it('nests no link in another, and shows no HTML or Markdown as text', () => {
    for (const path of paths) {
      expect(find(path, 'a a'), path).to.have.length(0)
      const prose = find(path, 'main')[0]?.clone() as HTMLElement
      for (const code of prose.querySelectorAll('pre, code')) code.remove()
      expect(prose.text, path).to.not.match(/<\w|<!--|\]\(|\*\*|```/)
    }
  })

  it("shows this service's URL and header names", () => {
    expect(find('/docs/quickstart', 'main')[0]?.text).to.include(`export SERVICE=${publicUrl}`)
    expect(find('/docs/webhooks', 'main')[0]?.text).to.include('X-Acme-Signature')
  })

  it('links sections, neighbours and operations, and shows programs in every language', () => {
    const path = '/docs/quickstart'
    expect(hrefsIn(path, '#pages [aria-current=page]')).to.deep.equal([path])
    expect(hrefsIn(path, '[rel=prev], [rel=next]')).to.deep.equal(['/docs', '/docs/take-a-payment'])
    const sections = find(path, 'main h2[id]').map(({ id }) => `#${id}`)
    expect(hrefsIn(path, '.contents a')).to.deep.equal(sections)
    const curled = find(path, 'figcaption a').map(({ text }) => text)
    expect(curled).to.include.members(['createIntent', 'getIntent'])
    const languages = find(path, '.variants figure').map(({ attributes }) => attributes['data-language'])
    expect(languages.slice(0, 3)).to.deep.equal(['js', 'python', 'php'])
  })

  describe('in French', () => {
    const translated = '/docs/fr/take-a-payment'
    const original = '/docs/take-a-payment'

    it('has the same parts, code and links as in English, and links to it', () => {
      const partsOf = (path: string) =>
        find(path, '.text h2, .text p, .text li, .text tr, .text pre, .text img').map((part) => {
          const inner = [...part.querySelectorAll('code, a')].map(({ text, attributes }) =>
            (attributes.href ?? text).replace(/^#.*/, '#'),
          )
          return [part.tagName, ...inner.toSorted((a, b) => a.localeCompare(b))].join(' ')
        })
      expect(partsOf(translated)).to.deep.equal(partsOf(original))
      expect(hrefsIn(translated, '[hreflang=en]')).to.deep.equal([original])
      expect(hrefsIn(original, '[hreflang=fr]')).to.deep.equal([translated])
      expect(find(translated, 'html')[0]?.attributes.lang).to.equal('fr')
    })

    it('quotes the texts that customers see', () => {
      const shown = JSON.stringify(frenchCheckoutTexts)
      const quoted = find(translated, 'td:first-child em').flatMap(({ text }) => text.split(/(?<=\.) /))
      expect(quoted).to.have.length.at.least(5)
      for (const sentence of quoted) expect(shown).to.include(sentence.replace(/\.$/, ''))
    })
  })
})
