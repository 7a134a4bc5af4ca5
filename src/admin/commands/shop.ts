import type { Command } from 'commander'
import { act, found } from './act.ts'
import { businessName } from './arguments.ts'

/** Adds the `shop create` command, which creates a live shop. The service creates the sandbox shop automatically. */
export function addShopCommands(program: Command): Command {
  const shop = program.command('shop').description('create shops')
  shop
    .command('create')
    .description('create the live shop of a business, which can have only one')
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--name <name>', 'name of the shop', businessName)
    .action(
      act(async (deps, { business: businessId, name }: { business: string; name: string }) => {
        const { createShop } = await import('../../store/shops/create-shop.ts')
        found(await deps.Business.exists({ _id: businessId }), `There is no business ${businessId}`)
        const created = await createShop(deps, { businessId, name }, deps.by)
        return { id: found(created, `Business ${businessId} already has a shop`)._id }
      }),
    )
  return shop
}
