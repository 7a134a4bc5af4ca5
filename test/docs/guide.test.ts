import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { type HTMLElement, parse } from 'node-html-parser'
import { description } from '../support/check-responses.ts'
import { withService } from '../support/service.ts'

const names = readdirSync('docs/merchants', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)
const paths = names.map((name) => `/docs/${name.slice(0, -'.md'.length)}`.replace('/README', ''))
const publicUrl = 'https://money.example'

describe("The merchants' guide on /docs", () => {
  const service = withService({ PUBLIC_URL: publicUrl, WEBHOOK_HEADER_BRAND: 'Acme' })
  const pages = new Map<string, { text: string; root: HTMLElement }>()
  before(async () => {
    for (const path of paths) {
      const { status, headers, text } = await service.http.get(path)
      expect([status, headers['content-type']], path).to.deep.equal([200, 'text/html; charset=utf-8'])
      pages.set(path, { text, root: parse(text, { blockTextElements: {} }) })
    }
  })
  const hrefsOf = (root: HTMLElement) =>
    root.querySelectorAll('[href], [src]').map((one) => one.attributes.href ?? one.attributes.src ?? '')
  const textOf = (path: string) => pages.get(path)?.root.querySelector('main')?.text ?? ''

  it('has each page at the name of its file, for GET and HEAD only', async () => {
    expect(paths).to.include.members(['/docs', '/docs/quickstart', '/docs/webhooks'])
    for (const path of paths) {
      const { status, headers, text } = await service.http.head(path)
      expect([status, text], path).to.deep.equal([200, undefined])
      expect(headers['cache-control']).to.equal('public, max-age=300')
      expect(headers['content-security-policy']).to.include("default-src 'none';style-src 'self'")
    }
    const { status, headers, body } = await service.http.post('/docs/quickstart')
    expect([status, headers.allow, body.error.code]).to.deep.equal([404, 'GET, HEAD', 'ENDPOINT_NOT_FOUND'])
    for (const path of [
      '/docs/',
      '/docs/nothing',
      '/docs/README',
      '/docs/../package.json',
      '/docs/guide.json',
    ])
      expect((await service.http.get(path)).status, path).to.equal(404)
  })

  it('contains only links that lead somewhere, and anchors that exist', async () => {
    const operations = Object.values(description.paths as Record<string, Record<string, Operation>>)
      .flatMap(Object.values)
      .map(({ tags: [tag = ''], operationId }: Operation) => `/${encodeURIComponent(tag)}/${operationId}`)
    const found = new Map<string, number>()
    let toOperations = 0
    for (const [path, { root }] of pages)
      for (const href of hrefsOf(root)) {
        if (/^(https:|data:)/.test(href)) continue
        const [to = '', id] = (href.startsWith('#') ? path + href : href).split('#')
        if (!found.has(to)) found.set(to, (await service.http.get(to)).status)
        const where = `${href} on ${path}`
        expect(found.get(to), where).to.equal(200)
        if (id === undefined) continue
        if (to === '/docs/api') toOperations += operations.includes(id) ? 1 : expect.fail(where)
        else expect(pages.get(to)?.root.getElementById(decodeURIComponent(id)), where).to.not.equal(null)
      }
    expect(toOperations).to.be.at.least(60)
    expect([...found.keys()]).to.include.members(['/docs/api', '/docs/webhook-signatures.json'])
  })

  it('nests no link in another, and shows no HTML or Markdown as text', () => {
    for (const [path, { root }] of pages) {
      expect(root.querySelectorAll('a a'), path).to.have.length(0)
      const prose = root.querySelector('main')?.clone() as HTMLElement
      for (const code of prose.querySelectorAll('pre, code')) code.remove()
      expect(prose.text, path).to.not.match(/<\w|<!--|\]\(|\*\*|```/)
    }
  })

  it("shows this service's URL and header names, and no placeholder for them", () => {
    for (const [path, { text }] of pages)
      expect(text, path).to.not.match(
        /\$SERVICE|pay\.example|localhost:3000|api\.payments\.example|[xX]-[sS]ervice-/,
      )
    expect(textOf('/docs/quickstart')).to.include(`export SERVICE=${publicUrl}`)
    expect(textOf('/docs/webhooks')).to.include('X-Acme-Signature').and.include('Acme-Webhooks/')
  })

  it('marks the current page, and links its neighbours and sections', () => {
    const root = pages.get('/docs/quickstart')?.root
    const hrefOf = (selector: string) => root?.querySelector(selector)?.attributes.href
    expect(hrefOf('#pages [aria-current=page]')).to.equal('/docs/quickstart')
    expect([hrefOf('[rel=prev]'), hrefOf('[rel=next]')]).to.deep.equal(['/docs', '/docs/take-a-payment'])
    const sections = root?.querySelectorAll('main h2[id]').map(({ id }) => `#${id}`)
    expect(root?.querySelectorAll('.contents a').map((one) => one.attributes.href)).to.deep.equal(sections)
  })

  it('links a page and its translation to each other, and names the language of each', () => {
    const [english, french] = ['/docs/take-a-payment', '/docs/fr/take-a-payment']
    for (const [path, language, other, otherLanguage] of [
      [english, 'en', french, 'fr'],
      [french, 'fr', english, 'en'],
    ]) {
      const root = pages.get(path ?? '')?.root
      expect(root?.querySelector('html')?.attributes.lang).to.equal(language)
      const link = root?.querySelector(`main > p > a[hreflang=${otherLanguage}]`)
      expect(link?.attributes).to.include({ href: other, lang: otherLanguage })
    }
  })

  it('shows a program in every language in which there is a file', () => {
    const groups = pages.get('/docs/quickstart')?.root.querySelectorAll('.variants') ?? []
    const languages = groups.map((group) =>
      group.querySelectorAll('figure').map((one) => one.attributes['data-language']),
    )
    expect(languages[0]).to.deep.equal(['js', 'python', 'php'])
    expect(languages[1]).to.include.members(['js', 'python'])
  })

  it('links each curl command to its operation', () => {
    const links = pages.get('/docs/quickstart')?.root.querySelectorAll('figcaption a') ?? []
    expect(links.map(({ text }) => text)).to.include.members(['createIntent', 'getIntent'])
  })
})

interface Operation {
  tags: string[]
  operationId: string
}
