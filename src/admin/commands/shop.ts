import type { Command } from 'commander'
import { shopShown } from '../../staff-acts/shown.ts'
import { addShowCommand, asList, commandAction, examples, expectBusiness, orFail, subcommand } from './act.ts'
import { businessName, choice, someId } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { columnOf } from './text.ts'

/** Creates only live shops, because the service creates sandbox shops by itself. */
export function addShopCommands(program: Command): void {
  const shop = subcommand(program, 'shop', 'create shops')
  const createHelp = examples('shop create --business ID --name "Chez Fatou"')
  subcommand(shop, 'create', 'create the live shop of a business, which can have only one', createHelp)
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--name <name>', 'name of the shop', businessName)
    .action(commandAction(createLiveShop))

  const listHelp = examples('shop list --business ID', 'shop list --mode live')
  const list = subcommand(shop, 'list', 'list shops, newest first', listHelp)
    .option('--business <id>', 'only shops of this business', someId)
    .option('--mode <mode>', 'test or live', choice('test', 'live'))
  const columns = Object.values(shopShown).map(columnOf)
  asList(list, columns, async () => (await import('../../store/shops/shops.ts')).listShops)

  const shown = 'show a shop with the number of its products'
  const load = async () => (await import('../../store/shops/shops.ts')).lookUpShop
  addShowCommand(shop, shown, examples('shop show ID'), load)
}

type ShopOptions = { business: string; name: string }

async function createLiveShop(deps: AdminDeps, { business: businessId, name }: ShopOptions) {
  const { createShop } = await import('../../store/shops/shops.ts')
  await expectBusiness(deps, businessId)
  const created = await createShop(deps, { businessId, name }, deps.by)
  return { id: orFail(created, `Business ${businessId} already has a shop`)._id }
}
