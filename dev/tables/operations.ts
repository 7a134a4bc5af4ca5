import { code, tableOf } from '../markdown.ts'
import { operations } from '../openapi-document.ts'

/** Every operation of the API, by the scope that a key needs. */
export function table(): string {
  const byScope = new Map<string, string[]>()
  for (const { name, security } of operations) {
    const scope = security[0]?.apiKey[0] ?? ''
    byScope.set(scope, [...(byScope.get(scope) ?? []), code(name)])
  }
  return tableOf(
    ['Scope', 'Operations'],
    [...byScope].map(([scope, names]) => [code(scope), names.join('<br>')]),
  )
}
