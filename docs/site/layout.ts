import { html } from 'ghtml'
import type { Asset } from '../../src/http/pages/assets.ts'
import { renderDocument } from '../../src/http/pages/send-page.ts'

export interface GuidePage {
  path: string
  language: keyof typeof words
  title: string
  contents: { id: string; text: string }[]
  html: string
}

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

/** `web` puts its packages in place of the comment. */
export function layOut(page: GuidePage, guide: readonly GuidePage[], assets: readonly Asset[]): string {
  const { skip, pages, contents, api } = words[page.language]
  const title = page.path === '/docs' ? page.title : `${page.title} · Payment intents`
  return renderDocument(
    { language: page.language, title, assets, skip },
    html`<header>
<a href="/docs"><strong>Payment intents</strong></a> <a class="jump" href="#pages">${pages}</a> <a href="/docs/api">${api}</a>
</header>
<main id="main">
<h1>${page.title}</h1>
!${translationsOf(page, guide)}
!${contentsOf(page, contents)}
<div class="text">
!${page.html}
!${page.path === '/docs' ? '<!-- packages -->' : ''}
</div>
!${neighboursOf(page, guide)}
</main>
<nav id="pages" aria-label="${pages}">
<h2>${pages}</h2>
<ul>
!${guide.filter(({ language }) => language === 'en').map((each) => linkTo(each, page))}
</ul>
</nav>`,
  )
}

const linkTo = ({ path, title }: GuidePage, from: GuidePage): string =>
  html`<li><a href="${path}"!${path === from.path ? ' aria-current="page"' : ''}>${title}</a></li>
`

const nameOf = ({ path }: GuidePage): string => path.split('/').at(-1) ?? ''

const translationsOf = (page: GuidePage, guide: readonly GuidePage[]): string[] =>
  guide
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

function neighboursOf(page: GuidePage, guide: readonly GuidePage[]): string {
  const pages = guide.filter(({ language }) => language === page.language)
  const [previous, next] = [-1, 1].map((step) => pages[pages.indexOf(page) + step])
  return html`<p class="neighbours">!${previous && html`<a rel="prev" href="${previous.path}">← ${previous.title}</a>`}
!${next && html`<a rel="next" href="${next.path}">${next.title} →</a>`}</p>`
}
