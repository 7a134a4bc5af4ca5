import type { Command } from 'commander'
import type { IdPage, IdSlice } from '../../mongo/id-page.ts'
import { act } from './act.ts'
import { someId, wholeNumber } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type Column, tableText } from './table.ts'

const defaultLimit = 50
const maxLimit = 500

interface PageOptions {
  limit: number
  after?: string
  business?: string
}

/**
 * Makes a command print one page of a list, as a table or as `{"items":[…],"next":…}`. Adds the options for paging.
 * `readAfter` parses the value of `--after`. The command's other options are the filter; --business is its businessId.
 */
export const asList = <Filter extends object, Item extends object>(
  command: Command,
  columns: readonly Column<Item>[],
  read: (deps: AdminDeps, filter: Filter, slice: IdSlice) => Promise<IdPage<Item>>,
  readAfter: (text: string) => string = someId,
): Command =>
  command
    .option('--limit <n>', `items per page, at most ${maxLimit}`, wholeNumber(1, maxLimit), defaultLimit)
    .option('--after <id>', 'begin after this item: the "next" of the previous page', readAfter)
    .action(
      act(
        (deps, { limit, after, business, ...options }: PageOptions) => {
          const filter = business === undefined ? options : { ...options, businessId: business }
          return read(deps, filter as Filter, { limit, after: after ?? null })
        },
        (page) => pageText(columns, page),
      ),
    )

/** Returns a page as a table, with a last line that shows how to get the next page. */
export function pageText<Item>(columns: readonly Column<Item>[], { items, next }: IdPage<Item>): string {
  if (items.length === 0) return 'None.'
  const more = next === null ? '' : `\n\nMore: add --after ${next}`
  return `${tableText(columns, items)}${more}`
}
