import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'ghtml'
import type { Config } from '../config/config.ts'
import { createAsset, renderDocument } from '../http/pages/send-page.ts'
import { guideScript, guideStyle } from './guide-assets.ts'
import type { ClientPackage } from './packages.ts'
import type { Guide, GuidePage } from './render-guide.ts'

const builtFile = join(import.meta.dirname, '../../docs/guide.json')

/** The build renders the guide, so production needs no Markdown library. */
const guide: Guide = existsSync(builtFile)
  ? JSON.parse(readFileSync(builtFile, 'utf8'))
  : (await import('./render-guide.ts')).renderGuide()

export const guideAssets = [createAsset('/docs', 'css', guideStyle), createAsset('/docs', 'js', guideScript)]

const words = {
  en: { skip: 'Skip to the text', pages: 'Pages', contents: 'On this page', api: 'API' },
  fr: {
    skip: 'Aller au texte',
    pages: 'Pages',
    contents: 'Sur cette page',
    api: 'API',
  },
}
const languageNames = { en: 'English', fr: 'Français' }

export interface GuideFile {
  path: string
  type: string
  content: string
}

export const guideFiles = (
  config: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>,
  packages: readonly Pick<ClientPackage, 'path' | 'file' | 'sha256'>[],
): GuideFile[] =>
  [
    ...guide.pages.map((page) => ({
      path: page.path,
      type: 'html',
      content: renderPage(page, page.path === '/docs' ? listPackages(packages) : ''),
    })),
    { type: 'json', ...guide.signatures },
  ].map((file) => ({ ...file, content: adaptTo(config, file.content) }))

const listPackages = (packages: readonly Pick<ClientPackage, 'path' | 'file' | 'sha256'>[]): string =>
  packages.length === 0
    ? ''
    : html`<h2 id="packages">Packages</h2>
<p>A released file never changes. Each has its SHA-256 below it.</p>
<ul>
!${packages.map(({ path, file, sha256 }) => html`<li><a href="${path}">${file}</a><br><code>${sha256}</code></li>`)}
</ul>`

/** The guide's files show sample names of the service and its headers. */
function adaptTo(
  { publicUrl, webhookHeaderBrand: brand }: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>,
  text: string,
): string {
  return text
    .replaceAll('https://pay.example', html`${publicUrl}`)
    .replaceAll('X-Service-', `X-${brand}-`)
    .replaceAll('x-service-', `x-${brand.toLowerCase()}-`)
    .replaceAll('Service-Webhooks/', `${brand}-Webhooks/`)
}

function renderPage(page: GuidePage, more: string): string {
  const { skip, pages, contents, api } = words[page.language]
  const title = page.path === '/docs' ? page.title : `${page.title} · Payment intents`
  return renderDocument(
    { language: page.language, title, assets: guideAssets, skip },
    html`<header>
<a href="/docs"><strong>Payment intents</strong></a> <a class="jump" href="#pages">${pages}</a> <a href="/docs/api">${api}</a>
</header>
<main id="main">
<h1>${page.title}</h1>
!${translationsOf(page)}
!${contentsOf(page, contents)}
<div class="text">
!${page.html}
!${more}
</div>
!${neighboursOf(page)}
</main>
<nav id="pages" aria-label="${pages}">
<h2>${pages}</h2>
<ul>
!${guide.pages.filter(({ language }) => language === 'en').map((each) => linkTo(each, page))}
</ul>
</nav>`,
  )
}

const linkTo = ({ path, title }: GuidePage, from: GuidePage): string =>
  html`<li><a href="${path}"!${path === from.path ? ' aria-current="page"' : ''}>${title}</a></li>
`

const nameOf = ({ path }: GuidePage): string => path.split('/').at(-1) ?? ''

const translationsOf = (page: GuidePage): string[] =>
  guide.pages
    .filter((each) => each.language !== page.language && nameOf(each) === nameOf(page))
    .map(
      ({ path, language }) =>
        html`<p><a href="${path}" lang="${language}" hreflang="${language}">${languageNames[language]}</a></p>`,
    )

const contentsOf = ({ contents }: GuidePage, title: string): string =>
  contents.length < 2
    ? ''
    : html`<nav class="contents" aria-label="${title}">
<h2>${title}</h2>
<ul>
!${contents.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
</ul>
</nav>`

function neighboursOf(page: GuidePage): string {
  const pages = guide.pages.filter(({ language }) => language === page.language)
  const [previous, next] = [-1, 1].map((step) => pages[pages.indexOf(page) + step])
  return html`<p class="neighbours">!${previous && html`<a rel="prev" href="${previous.path}">← ${previous.title}</a>`}
!${next && html`<a rel="next" href="${next.path}">${next.title} →</a>`}</p>`
}
