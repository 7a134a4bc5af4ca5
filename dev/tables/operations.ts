import { code, tableOf } from '../markdown.ts'
import { operations } from '../openapi-document.ts'

/** Every operation of the API, with the scope that a key needs. */
export const table = (): string =>
  tableOf(
    ['Operation', '', 'Scope'],
    operations.map(({ name, summary, security }) => [
      code(name),
      summary,
      code(security[0]?.apiKey[0] ?? ''),
    ]),
  )
