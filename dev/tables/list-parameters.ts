import { code, tableOf } from '../markdown.ts'
import { operations } from '../openapi-document.ts'

/** The parameters of each list, by name. The guide explains the filters. */
export function table(): string {
  const lists = operations.filter((one) => one.parameters.some(({ name }) => name === 'page'))
  const filtersOf = ({ parameters: all }: (typeof lists)[number]): string =>
    all
      .filter(({ in: where, name }) => where === 'query' && name !== 'page' && name !== 'limit')
      .map(({ name }) => code(name))
      .join(', ')
  return tableOf(
    ['List', 'Parameters, besides `page` and `limit`'],
    lists.map((list) => [code(list.name), filtersOf(list)]).filter(([, names]) => names !== ''),
  )
}
