import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { html } from 'ghtml'
import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { openApiPath } from '../../src/http/openapi/operation.ts'
import type { Route } from '../../src/http/operations/route.ts'
import { createAsset } from '../../src/http/pages/assets.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import type { Guide } from '../../src/reference/guide.ts'
import { type GuidePage, layOut } from './layout.ts'

interface Highlighter {
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}
/** Importing its types would declare a browser's globals everywhere. */
const require = createRequire(import.meta.url)
const hljs = require('highlight.js/lib/common') as Highlighter

const root = join(import.meta.dirname, '../..')
const folder = 'docs/merchants'
const programs = 'clients/examples'
const vectors = 'test/vectors/webhook-signatures.json'
const signaturesPath = '/docs/webhook-signatures.json'

/** Pages call the service by these names. `sampleUrl` becomes PUBLIC_URL. */
const sampleUrl = 'https://pay.example'
const otherNames = /"\$SERVICE"|\$SERVICE|http:\/\/localhost:3000|https:\/\/api\.payments\.example/g

/** A page shows a program in one language. The others are files of the same name. */
const languages: Record<string, { name: string; extension: string }> = {
  js: { name: 'Node.js', extension: 'mjs' },
  ts: { name: 'TypeScript', extension: 'mts' },
  python: { name: 'Python', extension: 'py' },
  php: { name: 'PHP', extension: 'php' },
}
const captions: Record<string, string> = { sh: 'Shell', json: 'JSON', sql: 'SQL', csv: 'CSV' }

type Code = { lang: string; text: string }

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export function renderGuide(): Guide {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`)
  const pages = files.map(renderPage)
  const start = pages.find(({ path }) => path === '/docs')?.html ?? ''
  const order = ['/docs', ...[...start.matchAll(/href="(\/docs\/[^"#]+)"/g)].map(([, path = '']) => path)]
  const missing = pages.filter(({ path }) => !order.includes(path)).map(({ path }) => path)
  if (missing.length > 0) throw new Error(`${folder}/README.md doesn't link to ${missing.join(', ')}`)
  pages.sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path))
  const assets = [
    createAsset('/docs', 'css', read('docs/site/style.css')),
    createAsset('/docs', 'js', read('docs/site/page.js')),
  ]
  const rendered = pages.map((page) => ({
    path: page.path,
    type: 'html' as const,
    content: layOut(page, pages, assets),
  }))
  return { assets, files: [...rendered, { path: signaturesPath, type: 'json', content: read(vectors) }] }
}

function renderPage(file: string): GuidePage {
  const marked = markedFor(file)
  const tokens = marked.lexer(read(file))
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const pieces = groupVariants(tokens).map((piece) =>
    Array.isArray(piece) ? renderVariants(piece) : marked.parser([piece]),
  )
  return {
    path: pathOf(file) ?? '',
    language: file.startsWith(`${folder}/fr/`) ? 'fr' : 'en',
    title: headings.find(({ depth }) => depth === 1)?.text ?? '',
    contents: headings
      .filter(({ depth }) => depth === 2)
      .map(({ text }) => ({ id: idOf(text), text: text.replaceAll('`', '') })),
    html: pieces.join(''),
  }
}

/** Puts neighbouring programs in different languages into one group. */
function groupVariants(tokens: Token[]): (Token | Code[])[] {
  const pieces: (Token | Code[])[] = []
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const code = token.type === 'code' ? (token as Code) : null
    if (code === null || !(code.lang in languages)) {
      pieces.push(token)
      continue
    }
    const last = pieces.at(-1)
    if (Array.isArray(last) && last.every(({ lang }) => lang !== code.lang)) last.push(code)
    else pieces.push([code])
  }
  return pieces
}

function renderVariants([shown, ...others]: Code[]): string {
  if (shown === undefined) return ''
  const name = /^(?:\/\/|#) (\w+)\.\w+\n/.exec(shown.text)?.[1]
  const taken = [shown, ...others].map(({ lang }) => lang)
  const inFiles = Object.entries(languages).flatMap(([lang, { extension }]): Code[] => {
    const file = `${programs}/${name}.${extension}`
    return taken.includes(lang) || !existsSync(join(root, file)) ? [] : [{ lang, text: read(file).trim() }]
  })
  const figures = [shown, ...others, ...inFiles].map(renderCode)
  return figures.length === 1 ? figures.join('') : html`<div class="variants">!${figures}</div>`
}

function renderCode({ lang, text }: Code): string {
  const plain = text.replaceAll(otherNames, sampleUrl)
  const code = hljs.getLanguage(lang) === undefined ? null : hljs.highlight(plain, { language: lang }).value
  const caption = languages[lang]?.name ?? captions[lang] ?? ''
  const head = html`<figcaption><span>${caption}</span>!${lang === 'sh' ? curledIn(text) : ''}</figcaption>`
  return html`<figure data-language="${lang}">!${caption && head}
<pre tabindex="0"><code>!${code ?? html`${plain}`}</code></pre></figure>
`
}

const curledIn = (text: string): string[] => {
  const calls = [...text.matchAll(/curl(?: -X ([A-Z]+))?[^\n]*?\$BASE(\/[^"?]+)/g)]
  const routes = calls.flatMap(([, method = 'GET', path = '']) =>
    apiRoutes.filter((route) => isRouteOf(route, method, path)).slice(0, 1),
  )
  return [...new Set(routes)].map((route) => linkTo(route, route.operationId))
}

const isRouteOf = (route: Route, method: string, path: string): boolean =>
  route.method === method.toLowerCase() &&
  new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)

const linkTo = ({ tag, operationId }: Route, text: string): string =>
  html`<a href="/docs/api#/${encodeURIComponent(tag)}/${operationId}"><code>${text}</code></a>`

function markedFor(file: string): Marked {
  const marked = new Marked()
  marked.use({
    renderer: {
      heading({ depth, text, tokens }) {
        if (depth === 1) return ''
        const [id, content] = [idOf(text), this.parser.parseInline(tokens)]
        return html`<h${depth} id="${id}">!${content} <a class="anchor" href="#${id}" aria-label="${text}">#</a></h${depth}>
`
      },
      table(token) {
        return html`<div class="wide" tabindex="0">!${Renderer.prototype.table.call(this, token)}</div>`
      },
      checkbox: () => '<span class="box">☐</span> ',
      code: ({ lang = '', text }) => renderCode({ lang, text }),
      codespan({ text: source }) {
        const text = source.replaceAll(otherNames, sampleUrl)
        const [path] = text.split('?')
        const route = apiRoutes.find(
          (each) => text === each.operationId || path === `${each.method.toUpperCase()} ${openApiPath(each)}`,
        )
        return route === undefined ? html`<code>${text}</code>` : linkTo(route, text)
      },
      link({ href, tokens }) {
        const [to, content] = [addressOf(href, file), this.parser.parseInline(tokens)]
        return to === null ? content : html`<a href="${to}">!${content}</a>`
      },
      image: ({ href, text }) => {
        const image = readFileSync(join(root, dirname(file), href), 'base64')
        return html`<img src="data:image/${href.split('.').at(-1)};base64,${image}" alt="${text}">`
      },
      html: ({ text }) => (/^<br>$|^<!--/.test(text) ? text.replace(/^<!--.*/s, '') : html`${text}`),
    },
  })
  return marked
}

function addressOf(href: string, file: string): string | null {
  if (/^(https:|#)/.test(href)) return href
  const [target = '', id] = href.split('#')
  const path = pathOf(posix.join(posix.dirname(file), target))
  return path && (id === undefined ? path : `${path}#${id}`)
}

function pathOf(file: string): string | null {
  if (file === vectors) return signaturesPath
  if (file.startsWith(`${programs}/`)) return `/docs/clients/${posix.basename(file)}`
  if (!file.startsWith(`${folder}/`)) return null
  const page = file.slice(folder.length, -'.md'.length)
  return page === '/README' ? '/docs' : `/docs${page}`
}

/** Makes ids as GitHub does, so that links work there too. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

if (process.argv[1] === import.meta.filename) {
  const [, , built = ''] = process.argv
  mkdirSync(dirname(built), { recursive: true })
  writeFileSync(built, JSON.stringify(renderGuide()))
}
