import type { Command } from 'commander'
import type { ShopFacts } from '../../store/shops/list-shops.ts'
import { act, found } from './act.ts'
import { choice, someId } from './arguments.ts'
import { asList } from './list.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf } from './text.ts'

const listHelp = `
Examples:
  admin shop list --business ID
  admin shop list --mode live`

/** Adds the commands `shop list` and `shop show`. */
export function addShopReads(shop: Command): void {
  const list = shop
    .command('list')
    .description('list shops, newest first')
    .option('--business <id>', 'only shops of this business', someId)
    .option('--mode <mode>', 'test or live', choice('test', 'live'))
    .addHelpText('after', listHelp)
  asList(list, columns, async (deps, { business, mode }: Options, slice) => {
    const { listShops } = await import('../../store/shops/list-shops.ts')
    return listShops(deps, { ...(business && { businessId: business }), ...(mode && { mode }) }, slice)
  })

  shop
    .command('show')
    .description('show a shop with the number of its products')
    .argument('<id>', 'id of the shop')
    .addHelpText('after', '\nExample:\n  admin shop show ID')
    .action(
      act(async (deps, id: string) => {
        const { lookUpShop } = await import('../../store/shops/list-shops.ts')
        return found(await lookUpShop(deps, id), `There is no shop ${id}`)
      }, detailsText),
    )
}

interface Options {
  business?: string
  mode?: 'test' | 'live'
}

const columns: Column<ShopFacts>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'BUSINESS', cell: ({ businessId }) => businessId },
  { title: 'MODE', cell: ({ mode }) => mode },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
  { title: 'NAME', cell: ({ name }) => name, mayShrink: true },
]
