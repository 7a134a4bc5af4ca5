import { STATUS_CODES } from 'node:http'
import { type HTMLElement, parse } from 'node-html-parser'
import { formFor } from '../form.ts'
import { show } from './screen.ts'
import { showPage } from './show-page.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000
/** A browser follows more; these pages need one at a time. */
const MOST_REDIRECTS = 5

/** A page as a customer's browser has it. */
export interface Page {
  url: string
  status: number
  html: HTMLElement
}

interface Request {
  method: 'GET' | 'POST'
  url: string
  /** Of a form. */
  body: URLSearchParams | null
}

/** Opens an address, follows where it leads, and shows each request and the page in the end. */
export const openPage = (url: string): Promise<Page> => browse({ method: 'GET', url, body: null }, {})

/** Types into a page's form and sends it, as a browser without JavaScript does. Shows what `openPage` shows. */
export function sendForm(page: Page, typed: Record<string, string>): Promise<Page> {
  const [field = ''] = Object.keys(typed)
  const { method, url, fields } = formFor(field, page.html, page.url)
  const body = new URLSearchParams({ ...fields, ...typed })
  if (method === 'POST') return browse({ method, url, body }, typed)
  const asked = new URL(url)
  asked.search = body.toString()
  return browse({ method, url: asked.href, body: null }, {})
}

async function browse(request: Request, typed: Record<string, string>): Promise<Page> {
  let { method, url, body } = request
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const lines = Object.entries(body === null ? {} : typed).map(([name, value]) => `${name}=${value}`)
    show([`${method} ${pathOf(url)}`, ...lines])
    const answer = await fetch(url, {
      method,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    const to = answer.headers.get('location')
    const words = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`
    if (to === null) {
      show([words])
      const html = parse(await answer.text())
      showPage(html)
      return { url, status: answer.status, html }
    }
    must(answer.status === 303, 'a form leads on with 303, so that a refresh sends nothing again')
    await answer.body?.cancel()
    url = new URL(to, url).href
    show([`${words}: ${pathOf(url)}`])
    method = 'GET'
    body = null
  }
  throw new Error(`${request.url} leads on and on`)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
