/**
 * Every function that Python's module imports (pyodide 314.0.7), by what becomes of a call while a tool runs. A new
 * version that has others fails the test: find out what each does before it is put into a list, here or in ImportGate.ts.
 */

/** Functions that a tool may call, some within bounds. */
export const open: ReadonlyArray<string> = [
  ...["fd_close", "fd_read", "fd_write", "fd_seek", "fd_sync", "fd_fdstat_get", "fd_pread", "fd_pwrite"],
  ...["clock_time_get", "clock_res_get", "random_get", "environ_get", "environ_sizes_get"],
  ...["emscripten_get_now", "emscripten_date_now", "emscripten_get_heap_max", "__syscall_openat"],
  ...["__syscall_stat64", "__syscall_lstat64", "__syscall_fstat64", "__syscall_newfstatat"],
  ...["__syscall_getdents64", "__syscall_getcwd", "__syscall_readlinkat", "__syscall_faccessat"],
  ...["__syscall_ioctl", "__syscall_fadvise64", "__syscall_dup", "__syscall_dup3", "__syscall_chdir"],
  ...["__syscall_umask_js", "__syscall_getuid32_js", "__syscall_statfs64", "__syscall_fstatfs64"],
  ...["__syscall_poll", "_tzset_js", "_timegm_js", "_mktime_js", "_localtime_js", "_gmtime_js"],
  ...["_PyEM_TrampolineCall_JS", "_Py_CheckEmscriptenSignals_Helper", "_Py_emscripten_runtime", "proc_exit"],
  ...["exit", "_abort_js", "emscripten_resize_heap", "__syscall_fcntl64"],
]

/** Functions that return an error number and do nothing. */
export const refused: ReadonlyArray<string> = [
  ...["_maybe_connect_async", "_maybe_recvfrom_async", "_maybe_sendto_async", "_maybe_poll_async", "_try_fcntl64"],
  ...["__syscall_accept4", "__syscall_bind", "__syscall_chmod", "__syscall_connect", "__syscall_fallocate"],
  ...["__syscall_fchdir", "__syscall_fchmod", "__syscall_fchmodat2", "__syscall_fchown32"],
  ...["__syscall_fchownat", "__syscall_fdatasync", "__syscall_ftruncate64", "__syscall_getpeername"],
  ...["__syscall_getsockname", "__syscall_getsockopt", "__syscall_listen", "__syscall_mkdirat"],
  ...["__syscall_mknodat", "__syscall_pipe", "__syscall_recvfrom", "__syscall_recvmsg", "__syscall_renameat"],
  ...["__syscall_rmdir", "__syscall_sendmsg", "__syscall_sendto", "__syscall_socket", "__syscall_symlinkat"],
  ...["__syscall_truncate64", "__syscall_unlinkat", "__syscall_utimensat", "_dlopen_js", "_dlsym_js"],
  ...["_emscripten_get_progname", "_emscripten_log_formatted", "_emscripten_lookup_name"],
  ...["_emscripten_runtime_keepalive_clear", "_emscripten_system", "_mmap_js", "_msync_js", "_munmap_js"],
  ...["_setitimer_js", "_try_shutdown", "can_run_sync_js", "emscripten_debugger", "emscripten_log_impl_js"],
  ...["emscripten_promise_create", "emscripten_runtime_keepalive_pop", "emscripten_runtime_keepalive_push"],
  ...["emscripten_set_up_async_input_device_js", "getaddrinfo", "getnameinfo", "getprotobyname"],
]

/** Functions that end the process: the bridge to JavaScript, ctypes, dynamic linking, promises. */
export const fatal: ReadonlyArray<string> = [
  ...["JsArray_count_js", "JsArray_index_js", "JsArray_inplace_repeat_js", "JsArray_repeat_js"],
  ...["JsArray_reverse_js", "JsArray_reversed_iterator", "JsBuffer_DecodeString_js", "JsBuffer_get_info"],
  ...["JsDoubleProxy_unwrap_js", "JsException_new_helper", "JsMap_GetIter_js", "JsMap_clear_js"],
  ...["JsModule_GetAll_js", "JsObjMap_GetIter_js", "JsObjMap_ass_subscript_js", "JsObjMap_contains_js"],
  ...["JsObjMap_length_js", "JsObjMap_subscript_js", "JsProxy_Bool_js", "JsProxy_DelAttr_js", "JsProxy_Dir_js"],
  ...["JsProxy_GetAsyncIter_js", "JsProxy_GetAttr_js", "JsProxy_GetIter_js", "JsProxy_SetAttr_js"],
  ...["JsProxy_aexit_js", "JsProxy_compute_typeflags", "JsProxy_exit_js", "JsProxy_subscript_js"],
  ...["JsProxy_to_weakref_js", "JsvArray_Check", "JsvArray_Delete", "JsvArray_Extend", "JsvArray_Get"],
  ...["JsvArray_Insert", "JsvArray_New", "JsvArray_Push", "JsvArray_Set", "JsvArray_ShallowCopy"],
  ...["JsvArray_slice", "JsvArray_slice_assign", "JsvAsyncGenerator_Check", "JsvBigInt_fromDigits"],
  ...["JsvBigInt_fromInt", "JsvBuffer_assignFromPtr", "JsvBuffer_assignToPtr", "JsvBuffer_intoFile"],
  ...["JsvBuffer_readFromFile", "JsvBuffer_writeToFile", "JsvError_Check", "JsvError_Throw"],
  ...["JsvFunction_CallBound", "JsvFunction_Call_OneArg", "JsvFunction_Check", "JsvFunction_Construct"],
  ...["JsvGenerator_Check", "JsvLiteralMap_New", "JsvMap_New", "JsvMap_Set", "JsvNoValue_Check"],
  ...["JsvNum_fromDouble", "JsvNum_fromInt", "JsvNum_toInt", "JsvObject_CallMethod"],
  ...["JsvObject_CallMethod_NoArgs", "JsvObject_CallMethod_OneArg", "JsvObject_CallMethod_TwoArgs"],
  ...["JsvObject_Entries", "JsvObject_Keys", "JsvObject_New", "JsvObject_SetAttr", "JsvObject_Values"],
  ...["JsvObject_toString", "JsvPromise_Check", "JsvPromise_Resolve", "JsvPromise_Syncify_handleError"],
  ...["JsvSet_Add", "JsvSet_New", "JsvUTF8ToString", "Jsv_BigIntToNum", "Jsv_GetError_import"],
  ...["Jsv_constructorName", "Jsv_equal", "Jsv_greater_than", "Jsv_greater_than_equal", "Jsv_less_than"],
  ...["Jsv_less_than_equal", "Jsv_not_equal", "Jsv_to_bool", "Jsv_typeof", "_JsArray_PostProcess_helper"],
  ...["_JsArray_PushEntry_helper", "_JsObject_Set_js", "__assert_fail", "__call_sighandler"],
  ...["__hiwire_deduplicate_delete", "__hiwire_deduplicate_get", "__hiwire_deduplicate_new"],
  ...["__hiwire_deduplicate_set", "_agen_handle_result_js", "_emscripten_dlopen_js"],
  ...["_pyproxyGen_make_result"],
  ...["_pyproxy_get_buffer_result", "_python2js_add_to_cache", "_python2js_addto_postprocess_list"],
  ...["_python2js_ascii", "_python2js_buffer_inner", "_python2js_cache_lookup"],
  ...["_python2js_handle_postprocess_list", "_python2js_ucs1", "_python2js_ucs2", "_python2js_ucs4"],
  ...["array_to_js", "capture_stderr", "create_once_callable", "create_promise_handles"],
  ...["destroy_jsarray_entries", "destroy_proxies", "destroy_proxies_js", "destroy_proxy"],
  ...["emscripten_asm_const_int", "emscripten_promise_destroy", "emscripten_promise_resolve", "fail_test"],
  ...["ffi_call_js", "ffi_closure_alloc_js", "ffi_closure_free_js", "ffi_prep_closure_loc_js"],
  ...["gc_register_proxies", "get_async_js_call_done_callback", "get_length_helper", "get_length_string"],
  ...["get_suspender", "handle_next_result_js", "hiwire_invalid_ref_js", "is_comlink_proxy"],
  ...["js2python_convert", "js2python_immutable_js", "js2python_js", "jslib_init_buffers_js", "jslib_init_js"],
  ...["my_dict_converter", "new_error", "proxy_cache_get", "proxy_cache_set", "pyodide_js_init"],
  ...["pyproxy_AsPyObject", "pyproxy_Check", "pyproxy_new", "pyproxy_new_ex"],
  ...["python2js__default_converter_js", "python2js__eager_converter_js", "python2js_custom__create_jscontext"],
  ...["raw_call_js", "restoreState", "restore_stderr", "saveState", "set_pyodide_module", "set_suspender"],
  ...["syncifyHandler", "throw_no_gil", "wrap_async_generator", "wrap_generator"],
]
