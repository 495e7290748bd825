package kernel

// shown are the events that Perfetto shows: it makes slices, counters, or states and
// names of threads from them. Other events only become rows of its table ftrace_event. Source:
// ftrace_parser.cc of v53 to v58.
var shown = []string{
	"sched_blocked_reason", "sched_process_free", "task_rename",
	"cpu_frequency", "cpu_frequency_limits", "cpu_idle", "clock_enable", "clock_disable", "clock_set_rate", "gpu_frequency", "suspend_resume",
	"irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit",
	"binder_command", "binder_lock", "binder_locked", "binder_return", "binder_transaction", "binder_transaction_alloc_buf",
	"binder_transaction_received", "binder_unlock",
	"workqueue_execute_start", "workqueue_execute_end",
	"block_io_start", "block_io_done",
	"rss_stat", "mm_shrink_slab_start", "mm_shrink_slab_end", "mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end",
	"dma_fence_emit", "dma_fence_init", "dma_fence_signaled", "dma_fence_wait_start", "dma_fence_wait_end",
}

// formats are the events for which Perfetto has messages, as Linux from 4.19 on and
// HongMeng print them, by subsystem. The formats of an event are tried in this order: if
// two begin alike, the longer one is first.
var formats = [...]struct{ event, format string }{
	// sched
	{"sched_switch", "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state:state} ==> next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}"},
	{"sched_waking", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"},
	{"sched_wakeup", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"},
	{"sched_blocked_reason", "pid={pid} iowait={io_wait} caller={caller:symbol} {}"},
	{"sched_blocked_reason", "pid={pid} iowait={io_wait} caller={caller:symbol}"},
	{"sched_migrate_task", "comm={comm} pid={pid} prio={prio} orig_cpu={orig_cpu} dest_cpu={dest_cpu} running={running}"},
	{"sched_migrate_task", "comm={comm} pid={pid} prio={prio} orig_cpu={orig_cpu} dest_cpu={dest_cpu}"},
	{"sched_migrate_task", "comm={comm} pid={pid} prio={prio} load={load} orig_cpu={orig_cpu} dest_cpu={dest_cpu}"},
	{"sched_pi_setprio", "comm={comm} pid={pid} oldprio={oldprio} newprio={newprio}"},
	{"sched_process_exec", "filename={filename} pid={pid} old_pid={old_pid}"},
	{"sched_process_exit", "comm={comm} pid={pid} prio={prio}"},
	{"sched_process_exit", "comm={comm} pid={pid} tgid={tgid} prio={prio}"},
	{"sched_process_fork", "comm={parent_comm} pid={parent_pid} child_comm={child_comm} child_pid={child_pid}"},
	{"sched_process_free", "comm={comm} pid={pid} prio={prio}"},
	{"sched_process_hang", "comm={comm} pid={pid}"},
	{"sched_process_wait", "comm={comm} pid={pid} prio={prio}"},
	{"sched_wakeup_new", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"},
	{"sched_wakeup_new", "comm={comm} pid={pid} prio={prio} success={success} target_cpu={target_cpu:cpu}"},

	// task
	{"task_newtask", "pid={pid} comm={comm} clone_flags={clone_flags:bare} oom_score_adj={oom_score_adj}"},
	{"task_rename", "pid={pid} oldcomm={oldcomm} newcomm={newcomm} oom_score_adj={oom_score_adj}"},

	// power
	{"cpu_frequency", "state={state} cpu_id={cpu_id}"},
	{"cpu_frequency_limits", "min={min_freq} max={max_freq} cpu_id={cpu_id}"},
	{"cpu_frequency_limits", "min_freq={min_freq} max_freq={max_freq} cpu_id={cpu_id}"}, // vendors'
	{"cpu_idle", "state={state} cpu_id={cpu_id}"},
	{"clock_enable", "{name} state={state} cpu_id={cpu_id}"},
	{"clock_disable", "{name} state={state} cpu_id={cpu_id}"},
	{"clock_set_rate", "{name} state={state} cpu_id={cpu_id}"},
	{"gpu_frequency", "state={state} gpu_id={gpu_id}"},
	{"suspend_resume", "{action}[{val}] {start=end|begin}"},

	// clk
	{"clk_enable", "{name}"},
	{"clk_disable", "{name}"},
	{"clk_set_rate", "{name} {rate}"},

	// irq
	{"irq_handler_entry", "irq={irq} name={name}"},
	{"irq_handler_exit", "irq={irq} ret={ret=unhandled|handled}"},
	{"softirq_entry", "vec={vec} [action={vec:softirq}]"},
	{"softirq_exit", "vec={vec} [action={vec:softirq}]"},
	{"softirq_raise", "vec={vec} [action={vec:softirq}]"},

	// ipi
	{"ipi_entry", "({reason})"},
	{"ipi_exit", "({reason})"},
	{"ipi_raise", "target_mask={target_cpus:mask} ({reason})"},

	// binder
	{"binder_command", "cmd={cmd} {}"},
	{"binder_lock", "tag={tag}"},
	{"binder_locked", "tag={tag}"},
	{"binder_return", "cmd={cmd} {}"},
	{"binder_set_priority", "proc={proc} thread={thread} old={old_prio} => new={new_prio} desired={desired_prio}"},
	{"binder_transaction", "transaction={debug_id} dest_node={target_node} dest_proc={to_proc} dest_thread={to_thread} reply={reply} flags={flags:0x} code={code:0x}"},
	{"binder_transaction_alloc_buf", "transaction={debug_id} data_size={data_size} offsets_size={offsets_size} extra_buffers_size={extra_buffers_size}"},
	{"binder_transaction_alloc_buf", "transaction={debug_id} data_size={data_size} offsets_size={offsets_size}"},
	{"binder_transaction_received", "transaction={debug_id}"},
	{"binder_unlock", "tag={tag}"},

	// workqueue
	{"workqueue_activate_work", "work struct {work:hex} function={function:symbol}"},
	{"workqueue_activate_work", "work struct {work:hex}"},
	{"workqueue_execute_end", "work struct {work:hex}: function {function:symbol}"},
	{"workqueue_execute_end", "work struct {work:hex}"},
	{"workqueue_execute_start", "work struct {work:hex}: function {function:symbol}"},
	{"workqueue_queue_work", "work struct={work:hex} function={function:symbol} workqueue={workqueue} req_cpu={req_cpu} cpu={cpu}"},

	// block; later kernels print the priority of a request after its sectors
	{"block_bio_backmerge", "{dev:device} {rwbs} {sector} + {nr_sector} [{comm}]"},
	{"block_bio_bounce", "{dev:device} {rwbs} {sector} + {nr_sector} [{comm}]"},
	{"block_bio_complete", "{dev:device} {rwbs} {sector} + {nr_sector} [{error}]"},
	{"block_bio_frontmerge", "{dev:device} {rwbs} {sector} + {nr_sector} [{comm}]"},
	{"block_bio_queue", "{dev:device} {rwbs} {sector} + {nr_sector} [{comm}]"},
	{"block_bio_remap", "{dev:device} {rwbs} {sector} + {nr_sector} <- ({old_dev:device}) {old_sector}"},
	{"block_bio_remap", "{dev:device} {sector} + {nr_sector} <- ({old_dev:device}) {old_sector}"}, // HongMeng
	{"block_dirty_buffer", "{dev:device} sector={sector} size={size}"},
	{"block_getrq", "{dev:device} {rwbs} {sector} + {nr_sector} [{comm}]"},
	{"block_io_done", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} [{comm}]"},
	{"block_io_done", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} {} [{comm}]"},
	{"block_io_start", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} [{comm}]"},
	{"block_io_start", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} {} [{comm}]"},
	{"block_plug", "[{comm}]"},
	{"block_rq_complete", "{dev:device} {rwbs} ({cmd}) {sector} + {nr_sector} [{error}]"},
	{"block_rq_complete", "{dev:device} {rwbs} ({cmd}) {sector} + {nr_sector} {} [{error}]"},
	{"block_rq_insert", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} [{comm}]"},
	{"block_rq_insert", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} {} [{comm}]"},
	{"block_rq_issue", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} [{comm}]"},
	{"block_rq_issue", "{dev:device} {rwbs} {bytes} ({cmd}) {sector} + {nr_sector} {} [{comm}]"},
	{"block_rq_remap", "{dev:device} {rwbs} {sector} + {nr_sector} <- ({old_dev:device}) {old_sector} {nr_bios}"},
	{"block_rq_requeue", "{dev:device} {rwbs} ({cmd}) {sector} + {nr_sector} [{errors}]"},
	{"block_rq_requeue", "{dev:device} {rwbs} ({cmd}) {sector} + {nr_sector} {} [{errors}]"},
	{"block_split", "{dev:device} {rwbs} {sector} / {new_sector} [{comm}]"},
	{"block_touch_buffer", "{dev:device} sector={sector} size={size}"},
	{"block_unplug", "[{comm}] {nr_rq}"},

	// filemap; later kernels do not print the page
	{"mm_filemap_add_to_page_cache", "dev {s_dev:colon} ino {i_ino:bare} page={page:hex} pfn={pfn} ofs={index:pages}"},
	{"mm_filemap_add_to_page_cache", "dev {s_dev:colon} ino {i_ino:bare} pfn={pfn} ofs={index:pages}"},
	{"mm_filemap_delete_from_page_cache", "dev {s_dev:colon} ino {i_ino:bare} page={page:hex} pfn={pfn} ofs={index:pages}"},
	{"mm_filemap_delete_from_page_cache", "dev {s_dev:colon} ino {i_ino:bare} pfn={pfn} ofs={index:pages}"},

	// kmem; allocation flags are words with different numbers in each kernel
	{"mm_page_alloc", "page={page:hex} pfn={pfn} order={order} migratetype={migratetype} gfp_flags={}"},
	{"mm_page_alloc_extfrag", "page={page:hex} pfn={pfn} alloc_order={alloc_order} fallback_order={fallback_order} pageblock_order={} alloc_migratetype={alloc_migratetype} fallback_migratetype={fallback_migratetype} fragmenting={} change_ownership={change_ownership}"},
	{"mm_page_free", "page={page:hex} pfn={pfn} order={order}"},
	{"rss_stat", "mm_id={mm_id} curr={curr} member={member} size={size}B"},
	{"rss_stat", "mm_id={mm_id} curr={curr} member={member} size={size}"},
	{"rss_stat", "mm_id={mm_id} curr={curr} type={member=MM_FILEPAGES|MM_ANONPAGES|MM_SWAPENTS|MM_SHMEMPAGES} size={size}B"},

	// compaction
	{"mm_compaction_begin", "zone_start={zone_start} migrate_pfn={migrate_pfn} free_pfn={free_pfn} zone_end={zone_end}, mode={sync=async|sync}"},
	{"mm_compaction_end", "zone_start={zone_start} migrate_pfn={migrate_pfn} free_pfn={free_pfn} zone_end={zone_end}, mode={sync=async|sync} " +
		"status={status=not_suitable_zone|skipped|deferred|no_suitable_page|continue|complete|partial_skipped|contended|success}"},

	// vmscan
	{"mm_shrink_slab_end", "{} {shr:hex}: nid: {nid} unused scan count {unused_scan} new scan count {new_scan} total_scan {total_scan} last shrinker return val {retval}"},
	{"mm_shrink_slab_start", "{shrink:symbol} {shr:hex}: nid: {nid} objects to shrink {nr_objects_to_shrink} gfp_flags {} cache items {cache_items} delta {delta} total_scan {total_scan} priority {priority}"},
	{"mm_vmscan_direct_reclaim_begin", "order={order} gfp_flags={}"},
	{"mm_vmscan_direct_reclaim_begin", "order={order} may_writepage={may_writepage} gfp_flags={}"},
	{"mm_vmscan_direct_reclaim_end", "nr_reclaimed={nr_reclaimed}"},
	{"mm_vmscan_kswapd_sleep", "nid={nid}"},
	{"mm_vmscan_kswapd_wake", "nid={nid} order={order}"},
	{"mm_vmscan_kswapd_wake", "nid={nid} zid={zid} order={order}"},

	// dma_fence
	{"dma_fence_emit", "driver={driver} timeline={timeline} context={context} seqno={seqno}"},
	{"dma_fence_init", "driver={driver} timeline={timeline} context={context} seqno={seqno}"},
	{"dma_fence_signaled", "driver={driver} timeline={timeline} context={context} seqno={seqno}"},
	{"dma_fence_wait_end", "driver={driver} timeline={timeline} context={context} seqno={seqno}"},
	{"dma_fence_wait_start", "driver={driver} timeline={timeline} context={context} seqno={seqno}"},
}
