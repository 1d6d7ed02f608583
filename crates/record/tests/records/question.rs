//! Questions with what the pilot chose.

use record::testing;

#[test]
fn each_launch_drives_load_points_that_share_no_rounds_in_its_own_order() {
    let mut question = testing::question(&["a-1", "b-1", "a-8", "b-8"], 6);
    question.load_points = ["connections-1", "connections-8"].map(str::to_owned).into();
    question.restarts = 3;
    let mut choice = testing::pilot(4, 1, 1);
    choice.load_points_apart = true;
    // Journals of one launch have no orders.
    choice.load_point_orders = vec![vec![1, 0], vec![0, 1]];
    let chosen = question.with_choice(&choice);
    let firsts: Vec<u32> = chosen.blocks.iter().map(|block| block[0]).collect();
    assert_eq!(firsts, [2, 0, 0, 2, 0, 2], "one block for each load point of a launch");
    assert_eq!((chosen.rounds, chosen.replicates()), (12, 3));
    assert_eq!((chosen.rounds_of_a_launch(), chosen.parts_of_a_launch()), (Some(2), 2));
    let launches = [1, 4, 5, 12].map(|round| chosen.launch_of(round));
    assert_eq!(launches, [1, 1, 2, 3].map(Some));
    assert!(chosen.holds(1, 3) && !chosen.holds(1, 1) && chosen.holds(3, 1));
}
