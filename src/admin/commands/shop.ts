import type { Command } from 'commander'
import { shopDisplay } from '../../staff-acts/shown.ts'
import * as cli from './act.ts'
import { choiceParser, idArgument, parseBusinessName } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { toColumn } from './text.ts'

/** The service creates sandbox shops itself. */
export function addShopCommands(program: Command): void {
  const shop = cli.addSubcommand(program, 'shop', 'create shops')
  const createHelp = cli.examplesHelp('shop create --business ID --name "Chez Fatou"')
  cli
    .addSubcommand(shop, 'create', "create a business's live shop (one per business)", createHelp)
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--name <name>', 'name of the shop', parseBusinessName)
    .action(cli.commandAction(createLiveShop))

  const listHelp = cli.examplesHelp('shop list --business ID', 'shop list --mode live')
  const list = cli
    .addSubcommand(shop, 'list', 'list shops, newest first', listHelp)
    .option('--business <id>', 'only shops of this business', idArgument)
    .option('--mode <mode>', 'test or live', choiceParser('test', 'live'))
  const columns = Object.values(shopDisplay).map(toColumn)
  cli.addListAction(list, columns, async () => (await import('../../store/shops/shops.ts')).listShops)

  const shown = 'show a shop with the number of its products'
  const load = async () => (await import('../../store/shops/shops.ts')).lookUpShop
  cli.addShowCommand(shop, shown, cli.examplesHelp('shop show ID'), load)
}

type ShopOptions = { business: string; name: string }

async function createLiveShop(deps: AdminDeps, { business: businessId, name }: ShopOptions) {
  const { createBusinessShop } = await import('../../store/shops/shops.ts')
  await cli.expectBusiness(deps, businessId)
  const created = await createBusinessShop(deps, { businessId, name }, deps.by)
  return { id: cli.orFail(created, `Business ${businessId} already has a shop`)._id }
}
