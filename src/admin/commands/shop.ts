import type { Command } from 'commander'
import { shopShown } from '../../staff-acts/shown.ts'
import type { ShopFilter } from '../../store/shops/shops.ts'
import { asList, commandAction, orFail, subcommand, subcommandOnId } from './act.ts'
import { businessName, choice, someId } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { columnOf, detailsText } from './text.ts'

const listHelp = `
Examples:
  admin shop list --business ID
  admin shop list --mode live`

/** Live shops only: the service creates the sandbox's shop itself. */
export function addShopCommands(program: Command): void {
  const shop = subcommand(program, 'shop', 'create shops')
  subcommand(shop, 'create', 'create the live shop of a business, which can have only one')
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--name <name>', 'name of the shop', businessName)
    .action(commandAction(createLiveShop))

  const list = subcommand(shop, 'list', 'list shops, newest first')
    .option('--business <id>', 'only shops of this business', someId)
    .option('--mode <mode>', 'test or live', choice('test', 'live'))
    .addHelpText('after', listHelp)
  asList(list, columns, async (deps, filter: ShopFilter, slice) => {
    const { listShops } = await import('../../store/shops/shops.ts')
    return listShops(deps, filter, slice)
  })

  subcommandOnId(shop, 'show', 'show a shop with the number of its products')
    .addHelpText('after', '\nExample:\n  admin shop show ID')
    .action(commandAction(showShop, detailsText))
}

async function createLiveShop(
  deps: AdminDeps,
  { business: businessId, name }: { business: string; name: string },
) {
  const { createShop } = await import('../../store/shops/shops.ts')
  orFail(await deps.Business.exists({ _id: businessId }), `There is no business ${businessId}`)
  const created = await createShop(deps, { businessId, name }, deps.by)
  return { id: orFail(created, `Business ${businessId} already has a shop`)._id }
}

async function showShop(deps: AdminDeps, id: string) {
  const { lookUpShop } = await import('../../store/shops/shops.ts')
  return orFail(await lookUpShop(deps, id), `There is no shop ${id}`)
}

const columns = Object.values(shopShown).map(columnOf)
