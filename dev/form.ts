import { type HTMLElement, parse } from 'node-html-parser'

export interface Form {
  method: 'GET' | 'POST'
  url: string
  fields: Record<string, string>
}

/** The form that contains `field`. @throws {Error} if there is none */
export function formFor(field: string, page: string | HTMLElement, address: string): Form {
  const html = typeof page === 'string' ? parse(page) : page
  const form = html.querySelector(`[name="${field}"]`)?.closest('form')
  if (!form) throw new Error(`The page ${address} does not ask for the ${field}`)
  const inputs = form.querySelectorAll('input[name]')
  return {
    method: form.getAttribute('method')?.toUpperCase() === 'POST' ? 'POST' : 'GET',
    url: new URL(form.getAttribute('action') ?? address, address).href,
    fields: Object.fromEntries(
      inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
    ),
  }
}
