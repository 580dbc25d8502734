/** What people call a replica by, wherever they meet it: in logs, in `svc top`, in events. Pure. */

/** The end of its id, which `svc logs --replica` takes as well; the whole of one that is short. */
export function shortReplica(id: string): string {
  return id.length <= 12 ? id : id.slice(-6);
}
